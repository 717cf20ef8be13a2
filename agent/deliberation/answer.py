"""What a model may answer: one JSON object of four lists, and the schema that says so.

Each item is checked on its own: one bad item does not spoil the rest, and what is too much is cut off.
"""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from firstfault.tools.kinds import Kind

MAX_READS, MAX_PROPOSALS, MAX_SIGNALS, MAX_CLAIMS = 4, 3, 5, 10


class Nature(StrEnum):
    """What kind of thing a line that no catalogue row matches tells."""

    ERROR = "error"
    TIMEOUT = "timeout"
    REFUSAL = "refusal"
    EXHAUSTION = "exhaustion"
    RESTART = "restart"
    LOSS = "loss"
    CHANGE = "change"
    OTHER = "other"


LogKind = Literal[
    Kind.KERNEL_LOG,
    Kind.CONTAINER_LOG,
    Kind.KUBELET_LOG,
    Kind.RUNTIME_LOG,
    Kind.FABRIC_MANAGER_LOG,
    Kind.SYSLOG,
    Kind.JOURNAL,
    Kind.APPLICATION_LOG,
]
ToolKind = Literal[
    Kind.NVIDIA_SMI, Kind.IBSTAT, Kind.HOST_TOOL, Kind.JOB_STATUS, Kind.TOPOLOGY, Kind.FLIGHT_RECORDER
]
Text = Annotated[str, Field(max_length=2_000)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class SearchLines(_Part):
    """Lines of documents that hold a text."""

    tool: Literal["search_lines"]
    text: Text
    path: Text | None = None


class ShowLines(_Part):
    """Lines around one line."""

    tool: Literal["show_lines"]
    path: Text
    line: int


class ShowSignals(_Part):
    """Signals that the table left out."""

    tool: Literal["show_signals"]
    name: Text
    entity: Text | None = None


class ReadLogs(_Part):
    """A log that was not collected, or lines of it that hold a text."""

    tool: Literal["read_logs"]
    kind: LogKind
    entity: Text
    contains: Text | None = None


class ReadToolOutput(_Part):
    """What a tool prints on a machine."""

    tool: Literal["read_tool_output"]
    kind: ToolKind
    entity: Text


class ReadObjects(_Part):
    """The Kubernetes object of an entity."""

    tool: Literal["read_objects"]
    entity: Text


class ReadEvents(_Part):
    """Kubernetes events about an entity."""

    tool: Literal["read_events"]
    entity: Text


class ReadMetrics(_Part):
    """One metric."""

    tool: Literal["read_metrics"]
    metric: Text
    entity: Text | None = None


class ReadChanges(_Part):
    """Changes, also those of one entity."""

    tool: Literal["read_changes"]
    entity: Text | None = None


Read = (
    SearchLines
    | ShowLines
    | ShowSignals
    | ReadLogs
    | ReadToolOutput
    | ReadObjects
    | ReadEvents
    | ReadMetrics
    | ReadChanges
)


class SaidQuote(_Part):
    """A verbatim quote."""

    evidence: Text
    quote: Text


class SaidHypothesis(_Part):
    """Something no class describes, or a class that should be looked at."""

    failure_class: Text
    description: Text
    quotes: list[SaidQuote]


class SaidSignal(_Part):
    """A line that no catalogue row matched."""

    evidence: Text
    quote: Text
    entity: Text
    time: Text | None = None
    nature: Nature


class SaidAbsence(_Part):
    """A signal that is not in a document."""

    signal: Text
    path: Text


class SaidClaim(_Part):
    """A sentence of the summary."""

    text: Text
    quotes: list[SaidQuote]
    about: Text | None = None
    absent: SaidAbsence | None = None


class Whole(_Part):
    """The form of the whole answer; the schema is made from it."""

    reads: list[Read]
    hypotheses: list[SaidHypothesis]
    signals: list[SaidSignal]
    claims: list[SaidClaim]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer, item by item. rejected: how many items had not the form asked for, or were too many."""

    reads: tuple[Read, ...] = ()
    hypotheses: tuple[SaidHypothesis, ...] = ()
    signals: tuple[SaidSignal, ...] = ()
    claims: tuple[SaidClaim, ...] = ()
    rejected: int = 0


Item = TypeVar("Item")
_PARTS = ("reads", "hypotheses", "signals", "claims")
_READ: TypeAdapter[Read] = TypeAdapter(Annotated[Read, Field(discriminator="tool")])


def parse_answer(text: str) -> Said | None:
    """Return what the model said, or None when no JSON object with one of the four lists is in `text`."""
    whole = _object_in(text)
    lists = (
        {part: whole[part] for part in _PARTS if isinstance(whole.get(part), list)}
        if whole is not None
        else {}
    )
    if not lists:
        return None
    reads, bad_reads = _items(lists.get("reads"), _READ, MAX_READS)
    hypotheses, bad_hypotheses = _items(lists.get("hypotheses"), TypeAdapter(SaidHypothesis), MAX_PROPOSALS)
    signals, bad_signals = _items(lists.get("signals"), TypeAdapter(SaidSignal), MAX_SIGNALS)
    claims, bad_claims = _items(lists.get("claims"), TypeAdapter(SaidClaim), MAX_CLAIMS)
    rejected = bad_reads + bad_hypotheses + bad_signals + bad_claims
    if rejected and not (reads or hypotheses or signals or claims):
        return None
    return Said(reads=reads, hypotheses=hypotheses, signals=signals, claims=claims, rejected=rejected)


def _items(found: object, adapter: TypeAdapter[Item], limit: int) -> tuple[tuple[Item, ...], int]:
    good: list[Item] = []
    items = cast("list[object]", found) if isinstance(found, list) else []
    for item in items[: limit * 4]:
        try:
            good.append(adapter.validate_python(item))
        except (ValidationError, RecursionError):
            continue
    return tuple(good[:limit]), len(items) - len(good[:limit])


def _object_in(text: str) -> dict[str, object] | None:
    """Return the last JSON object that begins at a brace outside of reasoning and fences, or None."""
    rest = re.sub(r"(?s)<think>.*?(?:</think>|\Z)", "", text)
    start = rest.find("{")
    end = rest.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        found: object = json.loads(rest[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", found) if isinstance(found, dict) else None
