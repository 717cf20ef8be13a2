"""Signals for tests: one line of a made-up document each."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import FAMILY_OF_KIND, Family, Kind
from firstfault.tools.signals import Signal, Value
from firstfault.tools.times import Clock, Stamp

START = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)


def signal(
    name: str,
    *,
    line: int = 1,
    path: str = "raw/kernel.log",
    kind: Kind = Kind.KERNEL_LOG,
    family: Family | None = None,
    entity: EntityRef | None = None,
    node: str | None = None,
    at_s: float | None = None,
    uptime_s: float | None = None,
    uncertainty_s: float | None = None,
    attributes: Mapping[str, Value] | None = None,
    count: int = 1,
) -> Signal:
    """Return a signal on `line` of `path`; `at_s` is seconds after START, `uptime_s` is in the boot of the path."""
    text = "".join(f"line {number} of {path}: {name}\n" for number in range(1, line + 1))
    document = Document(path=path, kind=kind, body=MemoryBody(text.encode()), source="test", query=path)
    clock = Clock.UPTIME if uptime_s is not None else Clock.UTC if at_s is not None else Clock.POSITION
    stamp = Stamp(
        clock=clock,
        raw=str(uptime_s if uptime_s is not None else at_s),
        at=None if at_s is None else START + timedelta(seconds=at_s),
        uptime_s=uptime_s,
        uncertainty_s=uncertainty_s,
        series=path,
        position=line,
    )
    return Signal(
        name=name,
        entity=entity or EntityRef(kind=EntityKind.GPU, name="0000:91:00", node=node),
        stamp=stamp,
        evidence=document.cite(line),
        family=family or FAMILY_OF_KIND[kind],
        attributes=dict(attributes or {}),
        count=count,
    )


def gpu(name: str, node: str | None = None) -> EntityRef:
    """Return a GPU."""
    return EntityRef(kind=EntityKind.GPU, name=name, node=node)


def node(name: str) -> EntityRef:
    """Return a machine."""
    return EntityRef(kind=EntityKind.NODE, name=name)


def pod(name: str, namespace: str = "train") -> EntityRef:
    """Return a pod."""
    return EntityRef(kind=EntityKind.POD, name=name, namespace=namespace)
