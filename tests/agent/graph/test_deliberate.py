"""The model in the graph: it finds what nobody asked for, changes nothing else, and is not paid twice."""

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from firstfault.agent.findings import Incident
from firstfault.agent.model.cassette import RecordingModel, open_cassette
from firstfault.agent.model.port import ModelPort, ModelReply, ModelRequest, Price
from firstfault.agent.report.contract import Report
from firstfault.evals.attacks.findings import differences, findings_of
from firstfault.evals.sim.model_server import HOSTILE_MODES, ModelServer
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Answer, Question
from firstfault.tools.times import Window
from tests.rehearsals import NOW, Rehearsal, client, rehearsal, rehearsal_of

CASES = Path(__file__).parents[3] / "evals" / "cases"
NODE = "gpu-n7"
BAD_MODES = [m for m in HOSTILE_MODES if not m.startswith("slow") and m != "absurd_usage"]
"""All but those that only take long, and the one that says good things and counts badly."""
TRAINER = (
    "2026-03-01T03:00:00Z step 1200 loss 2.31\n"
    "2026-03-01T03:05:00Z RuntimeError: NCCL error: remote process exited or there was a network error\n"
)
KERNEL = (
    "2026-03-01T03:04:12.100000+00:00 gpu-n7 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python, "
    "GPU has fallen off the bus.\n"
    "2026-03-01T03:04:12.200000+00:00 gpu-n7 kernel: NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.\n"
)


@dataclass(frozen=True, kw_only=True)
class ShySource:
    """Gives the trainer's log to the standard collection, and the kernel log only to who asks for that node's."""

    name: str = "shy"

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return what is asked for by name; a question without kinds gets the trainer's log."""
        del window, as_of
        if not question.kinds:
            return Answer(
                documents=(_document("train/trainer-0.log", Kind.CONTAINER_LOG, TRAINER),),
                coverage=(_coverage("train/trainer-0.log", Kind.CONTAINER_LOG),),
                gaps=(_not_asked(Kind.KERNEL_LOG),),
            )
        if question.kinds == (Kind.KERNEL_LOG,) and [e.name for e in question.entities] == [NODE]:
            return Answer(
                documents=(_document("node/gpu-n7/kernel.log", Kind.KERNEL_LOG, KERNEL),),
                coverage=(_coverage("node/gpu-n7/kernel.log", Kind.KERNEL_LOG),),
            )
        return Answer(gaps=tuple(_not_asked(kind) for kind in question.kinds))


def _document(path: str, kind: Kind, text: str) -> Document:
    labels = {"node": NODE, "pod": "trainer-0", "namespace": "train"}
    return Document(
        path=path,
        kind=kind,
        body=MemoryBody(text.encode()),
        source="shy",
        query=path,
        labels=labels,
        complete=True,
    )


def _coverage(path: str, kind: Kind) -> Coverage:
    return Coverage(source="shy", kind=kind, state=CoverageState.COMPLETE, path=path)


def _not_asked(kind: Kind) -> Gap:
    return Gap(
        source="shy", kind=kind, why="not part of the standard collection", would_tell="what the kernel saw"
    )


def shy(state: Path) -> AbstractContextManager[Rehearsal]:
    incident = Incident(id="shy-1", question="Why did the trainer die?", correlation_id="c-1", opened_at=NOW)
    return rehearsal(ShySource(), ReadContext(opened_at=NOW, zone="UTC", as_of=None), incident, state)


def test_a_good_model_asks_for_the_decisive_data_and_code_decides_on_it(tmp_path: Path) -> None:
    with shy(tmp_path) as found, ModelServer("good") as server:
        alone = found.finish(None)
        helped = found.finish(client(server))
    assert alone.verdict == "INCONCLUSIVE"
    assert helped.diagnosis.failure_class == "gpu.fell_off_bus"
    assert helped.verdict in {"LIKELY", "CONFIRMED"}
    assert helped.first_fault is not None
    assert helped.first_fault.path == "node/gpu-n7/kernel.log"
    excerpts = {part.id: part.excerpt for part in helped.evidence}
    assert all(excerpts[item] in KERNEL + TRAINER for item in helped.diagnosis.evidence)


def test_with_a_bad_model_it_stays_open(tmp_path: Path) -> None:
    with shy(tmp_path) as found:
        alone = findings_of(found.finish(None))
        for mode in BAD_MODES:
            with ModelServer(mode) as server:
                report = found.finish(client(server))
            assert report.verdict == "INCONCLUSIVE", mode
            assert not differences(alone, findings_of(report)), mode


def test_a_recorded_run_is_the_same_without_a_network(tmp_path: Path) -> None:
    cassette = tmp_path / "cassette.jsonl"
    with rehearsal_of(CASES / "gpu-079", tmp_path / "state") as found:
        with ModelServer("good") as server:
            recorded = found.finish(RecordingModel(inner=client(server), path=cassette))
        played = found.finish(open_cassette(cassette))
    assert _stable(played) == _stable(recorded)
    assert played.diagnosis.summary.count("[ev-") >= 2


def test_every_sentence_of_the_summary_cites_evidence_of_the_report(tmp_path: Path) -> None:
    with rehearsal_of(CASES / "gpu-079", tmp_path) as found, ModelServer("good") as server:
        report = found.finish(client(server))
    known = {part.id for part in report.evidence}
    sentences = report.diagnosis.summary.partition("\n")[2].removesuffix("].").split("]. ")
    assert len(sentences) >= 2
    for sentence in sentences:
        assert set(sentence.rpartition("[")[2].split(", ")) <= known


@dataclass(kw_only=True)
class Counting:
    """Passes questions on and counts them."""

    inner: ModelPort
    count: int = 0
    name: str = "scripted"
    price: Price | None = None

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the inner model's answer."""
        self.count += 1
        return self.inner.complete(request)


def test_a_node_that_runs_again_gets_the_answers_it_had(tmp_path: Path) -> None:
    with rehearsal_of(CASES / "gpu-079", tmp_path) as found, ModelServer("good") as server:
        model = Counting(inner=client(server))
        same_run = replace(found, same_run=True)
        first = same_run.finish(model)
        asked = model.count
        second = same_run.finish(model)
    assert model.count == asked
    assert _stable(first) == _stable(second)
    assert first.audit.events == second.audit.events


def test_the_trail_holds_prompt_request_answer_and_usage(tmp_path: Path) -> None:
    with rehearsal_of(CASES / "gpu-079", tmp_path) as found, ModelServer("good") as server:
        replace(found, same_run=True).finish(client(server))
        events = list(
            found.workshop.store.audit.events(correlation_id=found.workshop.incident.correlation_id)
        )
    exchanges = [event for event in events if event.kind == "model.exchange"]
    assert exchanges
    for event in exchanges:
        payload = json.loads(event.payload)
        assert set(payload) == {"model", "step", "prompt", "request", "response", "error", "usage"}
        assert payload["prompt"]
        assert "INCIDENT" in payload["request"]


def _stable(report: Report) -> dict[str, object]:
    whole = report.model_dump(mode="json")
    whole["incident"]["correlation_id"] = ""
    whole["model"]["seconds"] = 0
    del whole["audit"]
    return whole
