"""The definitions that ship: they speak of signals that exist and of classes that exist."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import cast

import pytest

from firstfault.agent.classes.definitions import ClassDefinition, load_classes
from firstfault.tools.catalogs.vocabulary import signal_names

KNOWN = frozenset(re.sub(r"\{[^}]*\}", "*", name) for name in signal_names())
PLACES = frozenset({"signal", "expects", "explains", "first_fault", "roots", "changes", "likely_changes"})


def patterns(value: object) -> Iterator[str]:
    """Yield every pattern of signal names in a dumped definition."""
    if isinstance(value, dict):
        for key, part in cast("dict[str, object]", value).items():
            if key in PLACES and isinstance(part, tuple):
                yield from cast("tuple[str, ...]", part)
            else:
                yield from patterns(part)
    elif isinstance(value, tuple):
        for part in cast("tuple[object, ...]", value):
            yield from patterns(part)


def is_known(pattern: str) -> bool:
    """Return whether some signal can have a name that fits: equal, or one is the other's general form."""
    stem = pattern.partition("*")[0]
    return any(
        fnmatchcase(name, pattern)
        or fnmatchcase(pattern, name)
        or ("*" in name and "*" in pattern and name.partition("*")[0].startswith(stem))
        for name in KNOWN
    )


@pytest.mark.parametrize("definition", load_classes(), ids=lambda each: each.failure_class)
def test_every_signal_that_a_class_names_exists(definition: ClassDefinition) -> None:
    named = set(patterns(definition.model_dump()))
    assert sorted(pattern for pattern in named if not is_known(pattern)) == []
