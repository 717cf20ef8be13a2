"""What a piece of evidence says, in the vocabulary that hypotheses are tested with.

A signal has a dotted name from a catalogue (`xid.79`, `nccl.watchdog_timeout`, `kube.pod.oom_killed`), the entity
it is about, a stamp, and the exact evidence. Everything a failure class looks at is a signal: lines, objects read
against each other, metrics and notes of people alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Evidence
from firstfault.tools.kinds import Family
from firstfault.tools.times import Stamp

Value = str | int | float | bool
"""What an attribute may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One thing that was seen.

    attributes: parsed fields (`pid`, `link`, `resource` …), flat and JSON-safe.
    count: how many times it was seen when repeats were folded into one; `last` is then the stamp of the last one.
    also: further evidence of the same signal (other lines, fields of objects read against each other).
    others: how many other things said the same and are not listed one by one; their lines are in `count`.
    """

    name: str
    entity: EntityRef
    stamp: Stamp
    evidence: Evidence
    family: Family
    attributes: Mapping[str, Value] = field(default_factory=dict[str, Value])
    count: int = 1
    last: Stamp | None = None
    also: tuple[Evidence, ...] = ()
    others: int = 0

    @property
    def said_by_human(self) -> bool:
        """Return whether this rests on a person's statement: it can support, never confirm."""
        return self.family is Family.NOTE

    @property
    def all_evidence(self) -> tuple[Evidence, ...]:
        """Return the evidence with the decisive excerpt first."""
        return (self.evidence, *self.also)
