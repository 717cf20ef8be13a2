"""Views for tests of the deliberation: the incident of the grounding tests with documents to read."""

from collections.abc import Callable

from firstfault.agent.deliberation.view import DeliberationView
from firstfault.agent.findings import Incident
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document, Gap
from firstfault.tools.kinds import Kind
from tests.agent.grounding.worlds import CLOSED, COVERAGE, DIAGNOSIS, EVIDENCE, HYPOTHESES, LOST, TIMELINE
from tests.signals import node, pod

CONTEXT = ReadContext(opened_at=None, zone=None, as_of=None)


def document(
    text: str, path: str = "raw/trainer.log", kind: Kind = Kind.APPLICATION_LOG, *, complete: bool = False
) -> Document:
    """Return a document that holds `text`."""
    labels = {"pod": "trainer", "namespace": "train"}
    body = MemoryBody(text.encode("utf-8", "surrogatepass"))
    return Document(
        path=path, kind=kind, body=body, source="test", query=path, labels=labels, complete=complete
    )


def view(*documents: Document, redact: Callable[[str], str] = str) -> DeliberationView:
    """Return a view of the lost GPU with these documents."""
    return DeliberationView(
        incident=Incident(id="inc-1", question="Why did it die?", correlation_id="c"),
        timeline=TIMELINE,
        hypotheses=HYPOTHESES,
        diagnosis=DIAGNOSIS,
        gaps=(Gap(source="test", kind=Kind.SYSLOG, why="not collected", would_tell="BMC events"),),
        coverage=COVERAGE,
        evidence=EVIDENCE,
        documents=documents,
        entities=(LOST.entity, node("gpu-n7"), pod("trainer")),
        context=CONTEXT,
        redact=redact,
        glosses=CLOSED.glosses,
    )
