"""Makes the signals of the reduction: an entity, what decided, and the evidence it stands on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from firstfault.agent.correlate.collectives.standings import Wait
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Evidence
from firstfault.tools.kinds import FAMILY_OF_KIND, Family
from firstfault.tools.readings import Fact
from firstfault.tools.signals import Signal, Value
from firstfault.tools.times import Clock, Stamp

Said = Signal | Fact


def made(
    name: str,
    entity: EntityRef,
    said: Sequence[Said],
    attributes: Mapping[str, Value],
    since: Stamp | None = None,
) -> Signal:
    """Return a signal that stands on the first of `said`, with the others as further evidence.

    since: when it began, if that is not when it was said; the place of the evidence still orders what began together.
    """
    first = said[0]
    also = tuple(dict.fromkeys(evidence_of(each) for each in said[1:]))
    return Signal(
        name=name,
        entity=entity,
        stamp=_placed(since, stamp_of(first)),
        evidence=evidence_of(first),
        family=first.family
        if isinstance(first, Signal)
        else FAMILY_OF_KIND.get(first.document.kind, Family.APPLICATION),
        attributes=attributes,
        also=tuple(evidence for evidence in also if evidence != evidence_of(first)),
    )


def _placed(since: Stamp | None, said: Stamp) -> Stamp:
    return said if since is None else replace(since, position=said.position)


def evidence_of(said: Said) -> Evidence:
    """Return the excerpt that a statement stands on."""
    return said.evidence if isinstance(said, Signal) else said.cite()


def stamp_of(said: Said) -> Stamp:
    """Return when it was said, the place in the document when nothing tells."""
    if isinstance(said, Signal):
        return said.stamp
    return said.stamp or Stamp(clock=Clock.POSITION, raw="", series=said.document.path, position=said.line)


def began(wait: Wait) -> Stamp | None:
    """Return when a rank entered the operation that it waits in: its stamp less the time it ran; None when not told."""
    if wait.signal is None or wait.ran_s is None:
        return None
    stamp = wait.signal.stamp
    if stamp.at is None and stamp.uptime_s is None:
        return None
    back = timedelta(seconds=wait.ran_s)
    note = "stamp of the time-out less the time that it says it ran for"
    return replace(
        stamp,
        at=None if stamp.at is None else stamp.at - back,
        uptime_s=None if stamp.uptime_s is None else stamp.uptime_s - wait.ran_s,
        assumption=f"{stamp.assumption}; {note}" if stamp.assumption else note,
    )


def statement(wait: Wait) -> Said | None:
    """Return what a wait is known from."""
    return wait.signal or wait.fact
