"""The names of all settings, and the nearest known one for a name that is not."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel

from firstfault.agent.settings.settings import LEVEL, PREFIX, Settings

_KUBERNETES_ENV = re.compile(
    r"(?:.*_)?(?:SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP).*)?)"
)
"""Variables that Kubernetes sets for a Service whose name begins with `firstfault`; they are no settings of ours.

Source: Kubernetes documentation, Service, environment variables.
"""


@cache
def known_names() -> frozenset[str]:
    """Return every setting as `table.name`; `.*` at the end stands for any name."""
    return frozenset(_names(Settings, ""))


def is_known(name: str) -> bool:
    """Return whether `name` (with dots) is a setting, or lies below one that takes any name."""
    parts = name.split(".")
    above = {".".join([*parts[:depth], "*"]) for depth in range(1, len(parts))}
    return name in known_names() or not above.isdisjoint(known_names())


def nearest(name: str) -> str | None:
    """Return the known name most like `name`, or None when none is alike."""
    known = sorted(each.removesuffix(".*") for each in known_names())
    found = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    last = name.rpartition(".")[2]
    same_end = [each for each in known if each.rpartition(".")[2] == last]
    return found[0] if found else (same_end[0] if same_end else None)


def env_name(name: str) -> str:
    """Return the environment variable of a setting."""
    return PREFIX + name.replace(".", LEVEL).upper()


def unknown_in_file(tables: Mapping[str, object]) -> list[str]:
    """Return the names in `tables` that are no settings, with dots."""
    return [name for name in _paths(tables, "") if not is_known(name)]


def unknown_in_environment(variables: Iterable[str]) -> list[str]:
    """Return the variables with our prefix that are no settings."""
    return sorted(
        each for each in variables if each.upper().startswith(PREFIX) and not _is_known_variable(each.upper())
    )


def _is_known_variable(variable: str) -> bool:
    rest = variable.removeprefix(PREFIX)
    name = rest.replace(LEVEL, ".").lower()
    return (
        is_known(name)
        or name in _tables()
        or (LEVEL not in rest and _KUBERNETES_ENV.fullmatch(rest) is not None)
    )


@cache
def _tables() -> frozenset[str]:
    names = (each.removesuffix(".*") for each in known_names())
    return frozenset(
        ".".join(name.split(".")[:depth]) for name in names for depth in range(1, name.count(".") + 2)
    )


def _names(model: type[BaseModel], above: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from _names(annotation, f"{above}{name}.")
        elif dict in {get_origin(each) for each in _alternatives(annotation)}:
            yield f"{above}{name}.*"
        else:
            yield f"{above}{name}"


def _alternatives(annotation: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any type there is
    return (annotation, *get_args(annotation))


def _paths(tables: Mapping[str, object], above: str) -> Iterator[str]:
    """Give the dotted name of every leaf; what lies below a setting that takes any name is not looked at."""
    for key, value in tables.items():
        name = f"{above}{key}"
        if f"{name}.*" in known_names():
            continue
        if isinstance(value, dict) and value:
            yield from _paths(cast("dict[str, object]", value), f"{name}.")
        elif name not in _tables() or not isinstance(value, dict):
            yield name
