"""Packages whose version differs from place to place: what one machine or image has and the others have not. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.kinds import FAMILY_OF_KIND
from firstfault.tools.readings import Fact
from firstfault.tools.signals import Signal
from firstfault.tools.times import Clock, Stamp


def package_signals(facts: Iterable[Fact]) -> Iterator[Signal]:
    """Yield `host.package_differs` for each package that several lists have in different versions.

    The signal stands on the version that fewest lists have; between equals on the one whose machine is named.
    """
    listed: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.name == "package.version" and fact.labels.get("name"):
            listed[fact.labels["name"]].append(fact)
    for name, found in sorted(listed.items()):
        by_version: dict[str, list[Fact]] = defaultdict(list)
        for fact in found:
            by_version[str(fact.value)].append(fact)
        if len({fact.document.path for fact in found}) > 1 and len(by_version) > 1:
            yield _signal(name, by_version)


def _signal(name: str, by_version: dict[str, list[Fact]]) -> Signal:
    def rank(version: str) -> tuple[int, bool, str]:
        held = by_version[version]
        return len(held), all(fact.document.node is None for fact in held), version

    odd = min(by_version, key=rank)
    fact = by_version[odd][0]
    others = [held[0] for version, held in sorted(by_version.items()) if version != odd]
    return Signal(
        name="host.package_differs",
        entity=EntityRef(kind=EntityKind.LIBRARY, name=f"{name}=={odd}", node=fact.document.node),
        stamp=Stamp(clock=Clock.POSITION, raw="", series=fact.document.path, position=fact.line),
        evidence=fact.cite(),
        family=FAMILY_OF_KIND[fact.document.kind],
        attributes={
            "package": name,
            "version": odd,
            "others": ", ".join(str(other.value) for other in others),
        },
        also=tuple(other.cite() for other in others[:3]),
    )
