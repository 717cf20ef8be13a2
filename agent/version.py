"""Which version of the agent made a report: the package, and everything that decides a diagnosis."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable

_PARTS = ("agent", "tools", "policies")
_SUFFIXES = (".py", ".yaml", ".csv", ".toml", ".cedar")


@cache
def agent_version() -> str:
    """Return `0.1.0+1a2b3c4d5e6f`: the version of the package, and a digest of its code, rules and tables."""
    digest = hashlib.sha256()
    for part in _PARTS:
        for name, file in sorted(_files(resources.files("firstfault").joinpath(part), part)):
            digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return f"{metadata.version('firstfault')}+{digest.hexdigest()[:12]}"


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    for item in folder.iterdir():
        path = f"{name}/{item.name}"
        if item.is_dir():
            yield from _files(item, path)
        elif item.name.endswith(_SUFFIXES):
            yield path, item
