"""Signals cut from objects and events: the name, the thing it is about, and the very line of the field at fault. Pure."""

from collections.abc import Mapping, Sequence

from firstfault.tools.context import ReadContext
from firstfault.tools.entities import UNKNOWN_ENTITY, EntityRef
from firstfault.tools.evidence import Evidence
from firstfault.tools.extract.kube.cluster import entity_of
from firstfault.tools.kinds import Family
from firstfault.tools.readers.kube.stamping import field_stamp
from firstfault.tools.readings import KubeEvent, KubeObject
from firstfault.tools.signals import Signal, Value
from firstfault.tools.times import Clock, Stamp

SPEC_AGAINST_STATUS = "spec_against_status"
"""Set on signals that come from an object's spec read against the status of other objects (DESIGN §5)."""
Facts = Mapping[str, Value | None]
"""Attributes that several signals of one place share."""


def mark(  # noqa: PLR0913 - what a signal consists of, all by keyword
    item: KubeObject,
    path: str,
    name: str,
    *,
    entity: EntityRef | None = None,
    stamp: Stamp | None = None,
    also: Sequence[Evidence] = (),
    facts: Facts | None = None,
    checked: bool = False,
    **attributes: Value | None,
) -> Signal:
    """Return a signal that stands on the field of `item` at `path`; attributes that are None are left out.

    checked: it comes from a spec read against the status of other objects.
    """
    about = entity or entity_of(item)
    return Signal(
        name=name,
        entity=about,
        stamp=stamp or position_of(item, path),
        evidence=item.cite(path, entity=about),
        family=Family.API_OBJECTS,
        attributes=_known({**(facts or {}), **attributes}, checked=checked),
        also=tuple(also),
    )


def mark_event(  # noqa: PLR0913 - what a signal consists of, all by keyword
    event: KubeEvent,
    name: str,
    *,
    entity: EntityRef | None = None,
    also: Sequence[Evidence] = (),
    facts: Facts | None = None,
    checked: bool = False,
    **attributes: Value | None,
) -> Signal:
    """Return a signal that stands on an event; its count and its last stamp come with it."""
    about = entity or event.involved
    place = Stamp(clock=Clock.POSITION, raw="", series=event.document.path, position=event.line)
    return Signal(
        name=name,
        entity=about or UNKNOWN_ENTITY,
        stamp=event.first or event.last or place,
        evidence=event.document.cite(message_line(event), entity=about),
        family=Family.API_EVENTS,
        attributes=_known({"reason": event.reason, **(facts or {}), **attributes}, checked=checked),
        count=max(event.count, 1),
        last=event.last,
        also=tuple(also),
    )


def _known(facts: Facts, *, checked: bool) -> dict[str, Value]:
    known = {key: value for key, value in facts.items() if value is not None}
    return {**known, SPEC_AGAINST_STATUS: True} if checked else known


def position_of(item: KubeObject, path: str) -> Stamp:
    """Return the stamp of a field that has no time of its own: its place in the document."""
    return Stamp(clock=Clock.POSITION, raw="", series=item.document.path, position=item.line_of(path))


def message_line(event: KubeEvent) -> int:
    """Return the line that holds an event's message: in JSON an event is many lines, one of which says what happened."""
    if event.line == event.line_end or not event.message:
        return event.line
    start = event.message.split("\n")[0].replace('"', '\\"')[:60]
    lines = event.document.lines
    span = range(event.line, min(event.line_end, len(lines)) + 1)
    return next((number for number in span if start in lines[number - 1]), event.line)


def time_of(item: KubeObject, path: str, context: ReadContext) -> Stamp | None:
    """Return the stamp that a field of an object holds, or None when it holds none."""
    text = item.text(path)
    return field_stamp(text, item.document, item.line_of(path), context) if text else None
