"""A sentence that wants to be in a report, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from firstfault.agent.findings import Diagnosis, Hypothesis


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words said to stand in one piece of evidence, verbatim."""

    evidence: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """A signal (or a family of them: `xid`) said not to be in a document."""

    signal: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence with the ids of its evidence and verbatim quotes.

    about: the failure class it speaks of, when it says how a hypothesis stands. absent: what it says is not there.
    """

    text: str
    evidence: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    about: str | None = None
    absent: Absent | None = None


class Why(StrEnum):
    """The closed list of reasons to drop a sentence."""

    FORM = "form"
    NO_EVIDENCE = "no_evidence"
    QUOTE = "quote"
    WORD = "word"
    NAME = "name"
    NUMBER = "number"
    TIME = "time"
    ORDER = "order"
    ABSENCE = "absence"
    ADVICE = "advice"
    REPEATED = "repeated"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A sentence that did not pass. because: one line for a human, made by code."""

    text: str
    why: Why
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """What passed and what did not, each in the order given."""

    kept: tuple[Claim, ...] = ()
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedSets:
    """The words that code has for what was found: a narrative may use no others.

    classes: failure class → the sentences of its definition that hold here. class_names: all there are.
    glosses: signal name → its meaning.
    """

    hypotheses: tuple[Hypothesis, ...] = ()
    diagnosis: Diagnosis | None = None
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    class_names: tuple[str, ...] = ()
    glosses: Mapping[str, str] = field(default_factory=dict[str, str])
