"""Stage outputs as bytes and back: what a checkpoint's digests point to. The values are those of `tools` and `agent`."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from firstfault.agent.correlate.echoes import Echo
from firstfault.agent.findings import (
    CommonCause,
    Diagnosis,
    DoNot,
    Hypothesis,
    Recommendation,
    TimelineEntry,
)
from firstfault.agent.model.budget import Budget
from firstfault.agent.report import contract
from firstfault.agent.store.shapes import Described
from firstfault.tools.evidence import Coverage, Evidence, Gap
from firstfault.tools.signals import Signal

Output = TypeVar("Output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One preserved document: everything but its bytes, which the store holds under `sha256`."""

    description: Described
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What the sources gave."""

    documents: tuple[Kept, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was extracted from the documents: signals in stable order, and what could not be read."""

    signals: tuple[Signal, ...] = ()
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlated:
    """Echoes among the signals, and keys that affected nodes share."""

    echoes: tuple[Echo, ...] = ()
    common_causes: tuple[CommonCause, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Concluded:
    """The diagnosis, the ledger of hypotheses and the timeline with roles."""

    diagnosis: Diagnosis
    hypotheses: tuple[Hypothesis, ...] = ()
    timeline: tuple[TimelineEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliberated:
    """What the model added, already grounded: a summary, what was dropped, what it cost, more gaps and evidence."""

    summary: str | None = None
    dropped: tuple[contract.DroppedClaimPart, ...] = ()
    usage: contract.ModelPart | None = None
    documents: tuple[Kept, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    gaps: tuple[Gap, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    signals: tuple[TimelineEntry, ...] = ()
    """Lines the model pointed at, role context; no class looks for them."""
    hypotheses: tuple[Hypothesis, ...] = ()
    """What no class describes, untested."""
    budget: Budget | None = None
    stop: str = ""
    wants_more: bool = False
    """New documents came in: extract and everything after it runs again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommended:
    """Actions in order, and what not to do."""

    recommendations: tuple[Recommendation, ...] = ()
    do_not: tuple[DoNot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gated:
    """The gate's word on each recommendation, in the same order."""

    decisions: tuple[contract.PolicyPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Past incidents that resemble this one."""

    similar: tuple[contract.SimilarPart, ...] = ()


@lru_cache(maxsize=32)
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def encode(value: object) -> bytes:
    """Return the JSON of a stage output; the same value gives the same bytes."""
    return _adapter(type(value)).dump_json(value)


def decode(kind: type[Output], data: bytes) -> Output:
    """Return the stage output in `data`."""
    return _adapter(kind).validate_json(data)
