"""People's words decide where no machine speaks outright, and only there; they never make more than a guess certain."""

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.findings import Verdict
from firstfault.agent.hypotheses.conclusions import Conclusion, conclude
from firstfault.agent.hypotheses.leanings import leanings
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Document
from firstfault.tools.extract.words import word_signals
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from tests.signals import signal

TOLD = """The Corefile forwards to a resolver that is gone.
nslookup from every pod ends in SERVFAIL, resolv.conf has ndots:5.
"""


def _told(text: str) -> tuple[Signal, ...]:
    body = MemoryBody(text.encode())
    document = Document(path="raw/notes.txt", kind=Kind.OPERATOR_NOTES, body=body, source="test", query="q")
    return tuple(word_signals([document]))


def _concluded(*signals: Signal, question: str = "") -> Conclusion:
    return conclude(load_classes(), SignalSet(signals=signals), (), (), question)


def test_words_alone_name_a_class_and_decide_nothing() -> None:
    diagnosis = _concluded(*_told(TOLD)).diagnosis
    assert diagnosis.failure_class == "kubernetes.dns"
    assert diagnosis.verdict is Verdict.INCONCLUSIVE
    assert {each.line_start for each in diagnosis.evidence} <= {1, 2}
    assert diagnosis.evidence


def test_the_words_that_counted_are_told() -> None:
    best = _concluded(*_told(TOLD)).best
    assert best is not None
    assert any("resolver" in part for part in best.shown)


def test_a_strong_sign_of_a_machine_is_not_overruled() -> None:
    lost = signal("xid.79", line=3, uptime_s=10.0)
    assert _concluded(lost, *_told(TOLD)).diagnosis.failure_class == "gpu.fell_off_bus"


def test_a_single_sentence_is_overruled_by_what_is_told_as_a_whole_and_nothing_is_decided() -> None:
    sentence = signal("note.dependency_down", path="raw/notes.txt", kind=Kind.OPERATOR_NOTES)
    alone = _concluded(sentence).diagnosis
    whole = _concluded(sentence, *_told(TOLD)).diagnosis
    assert alone.failure_class != "kubernetes.dns"
    assert (whole.failure_class, whole.verdict) == ("kubernetes.dns", Verdict.INCONCLUSIVE)


def test_a_question_alone_names_no_class() -> None:
    assert _concluded(question="Is CoreDNS broken? nslookup fails").diagnosis.failure_class == "unknown"


def test_nothing_said_leans_nowhere() -> None:
    assert leanings(load_classes(), SignalSet(signals=()), "") == {}


def test_the_order_of_statements_changes_nothing() -> None:
    signals = _told(TOLD)
    one, other = (leanings(load_classes(), SignalSet(signals=s), "") for s in (signals, signals[::-1]))
    assert {k: v.weight for k, v in one.items()} == {k: v.weight for k, v in other.items()}
