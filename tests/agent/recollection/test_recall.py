"""Past incidents beside the present one: shown with what differs, never the incident itself, never noise."""

from collections.abc import Sequence

from firstfault.agent.findings import Diagnosis, Verdict
from firstfault.agent.recollection.features import of_report, said
from firstfault.agent.recollection.recall import Recall
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.past_incidents import Outcome, PastIncident, Probe, Resemblance
from tests import reports
from tests.agent.store.samples import AT

DIAGNOSIS = Diagnosis(
    verdict=Verdict.LIKELY,
    failure_class="gpu.fell_off_bus",
    summary="One GPU fell off the bus.",
    culprit=EntityRef(kind=EntityKind.GPU, name="0000:91:00"),
)


class Remembered:
    """An index that gives what it was made with and notes what it was asked."""

    def __init__(self, *scores: float) -> None:
        self.scores = scores
        self.asked: list[Probe] = []

    def similar(self, probe: Probe, *, limit: int) -> Sequence[Resemblance]:
        """Return one resemblance for each score."""
        self.asked.append(probe)
        return [_resemblance(score) for score in self.scores][:limit]

    def search(self, words: str, *, limit: int) -> Sequence[PastIncident]:
        """Return nothing."""
        del words, limit
        return ()


def _resemblance(score: float) -> Resemblance:
    past = PastIncident(
        id=f"past-{score}",
        summary="",
        features=frozenset(),
        resolution="",
        outcome=Outcome.DID_NOT_WORK,
        author="jo",
        at=AT,
    )
    return Resemblance(
        past=past, shared=("signal:a",), only_then=("signal:b",), only_now=("signal:c",), score=score
    )


def test_the_probe_names_what_must_not_come_back() -> None:
    index = Remembered()
    Recall(index=index, content={"inc-1": "digest"}.get)(DIAGNOSIS, (), "inc-1")
    (probe,) = index.asked
    assert (probe.exclude_id, probe.exclude_content, probe.text) == ("inc-1", "digest", DIAGNOSIS.summary)
    assert probe.features == {"class:gpu.fell_off_bus", "culprit:gpu"}


def test_what_is_hardly_alike_is_left_out() -> None:
    found = Recall(index=Remembered(0.9, 0.25, 0.2), content=lambda _: None)(DIAGNOSIS, (), "inc-1")
    assert [each.id for each in found] == ["past-0.9", "past-0.25"]


def test_what_is_shared_differs_and_came_of_it_is_shown() -> None:
    (part,) = Recall(index=Remembered(0.9), content=lambda _: None)(DIAGNOSIS, (), "inc-1")
    assert part.shared == ["signal:a"]
    assert part.differences == ["only then: signal:b", "only now: signal:c"]
    assert (part.resolution, part.outcome) == (None, "did_not_work")


def test_a_report_is_known_by_its_telling_signals_only() -> None:
    line = reports.evidence("raw/kernel.log", 3, "x")
    gpu = reports.entity("gpu", "0000:91:00")
    entries = [
        reports.entry(f"{role}.signal", gpu, line, role=role)
        for role in ("cause", "echo", "symptom", "context")
    ]
    report = reports.report(diagnosis=reports.diagnosis(), timeline=entries, evidence=[line])
    signals = {each for each in of_report(report) if each.startswith("signal:")}
    assert signals == {"signal:cause.signal", "signal:echo.signal", "signal:symptom.signal"}


def test_an_undecided_class_is_no_feature() -> None:
    assert said(None, None, ["xid.79"]) == {"signal:xid.79"}
    report = reports.report(
        diagnosis=reports.diagnosis("unknown", layer="unknown", culprit=None), timeline=[]
    )
    assert of_report(report) == frozenset()
