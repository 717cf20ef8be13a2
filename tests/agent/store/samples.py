"""Events, incidents and documents that the tests of the store share."""

from datetime import UTC, datetime

from firstfault.agent.findings import Incident
from firstfault.agent.store import NewEvent
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Answer
from firstfault.tools.times import Window

AT = datetime(2026, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)
HOSTILE = "null \x00 surrogate \ud800 quote ' \" percent %s colon :name \u202e \U0001f525"


def event(
    key: str = "1", *, kind: str = "stage.done", correlation_id: str = "c-1", why: str = "asked"
) -> NewEvent:
    """Return an event."""
    return NewEvent(
        correlation_id=correlation_id,
        kind=kind,
        key=key,
        at=AT,
        actor="agent",
        subject="inc-1",
        why=why,
        payload={"n": 1, "list": [1, 2.5, None, True]},
    )


def incident(incident_id: str = "inc-1", correlation_id: str = "c-1") -> Incident:
    """Return an incident with every field set."""
    return Incident(
        id=incident_id,
        question="why did the pod not start?",
        correlation_id=correlation_id,
        opened_at=AT,
        window_start=AT,
        window_end=AT,
        as_of=AT,
        environment={"driver": "550.54"},
    )


def document(
    path: str = "raw/kernel.log", data: bytes = b"one\ntwo\n", source: str = "recording"
) -> Document:
    """Return a document with every field set."""
    return Document(
        path=path,
        kind=Kind.KERNEL_LOG,
        body=MemoryBody(data),
        source=source,
        query=f"read {path}",
        complete=True,
        entity=EntityRef(kind=EntityKind.NODE, name="node-3", cluster="c", uid="u-1"),
        labels={"node": "node-3", "unit": "kernel"},
        window=Window(start=AT, end=None),
        link="https://example.test/x?a=1",
        fetched_at=AT,
        note="as printed",
    )


def answer() -> Answer:
    """Return two documents, a coverage and a gap."""
    return Answer(
        documents=(document(), document("raw/pod.log", b"three\n")),
        coverage=(
            Coverage(source="recording", kind=Kind.KERNEL_LOG, state=CoverageState.COMPLETE, lines_read=2),
        ),
        gaps=(Gap(source="bmc", why="not collected", would_tell="power or bus", kind=Kind.HOST_TOOL),),
    )
