"""Names of failure classes as people type them."""

import difflib

from firstfault.cli.configuration import NothingUsable


def known_class(name: str | None) -> str | None:
    """Return `name` when it is a failure class, or None as it is. Raises NothingUsable with the nearest one."""
    from firstfault.tools.catalogs.taxonomy import failure_classes

    if name is None or name in failure_classes():
        return name
    near = difflib.get_close_matches(name, failure_classes(), n=1, cutoff=0)
    msg = f"`{name}` is not a failure class: did you mean `{near[0]}`?"
    raise NothingUsable(msg)
