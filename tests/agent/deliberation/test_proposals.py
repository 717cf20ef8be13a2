from firstfault.agent.deliberation.answer import Nature, SaidHypothesis, SaidQuote, SaidSignal
from firstfault.agent.deliberation.desk import Desk
from firstfault.agent.deliberation.proposals import check_hypothesis, check_signal
from firstfault.agent.deliberation.view import Proposal
from firstfault.agent.findings import Role, TimelineEntry
from firstfault.agent.grounding.claims import Dropped, Why
from tests.agent.deliberation.views import document, view
from tests.agent.grounding.worlds import LOST

LOG = document("2026-03-01T03:00:04Z trainer: ring buffer stalled on gpu-n7\nsecond line\n")


def desk() -> Desk:
    found = Desk(view=view(LOG))
    found.name_of(LOG.cite(1))
    found.name_of(LOST.evidence)
    return found


def said(**changes: object) -> SaidSignal:
    plain = {
        "evidence": "E1",
        "quote": "ring buffer stalled",
        "entity": "node/gpu-n7",
        "time": "2026-03-01T03:00:04Z",
        "nature": "timeout",
    }
    return SaidSignal.model_validate(plain | changes)


def why(found: object) -> Why | None:
    return found.why if isinstance(found, Dropped) else None


def test_a_line_that_checks_out_is_context_with_the_time_that_code_reads() -> None:
    found = check_signal(desk(), said())
    assert isinstance(found, TimelineEntry)
    assert found.role is Role.CONTEXT
    assert found.signal.name == f"proposed.{Nature.TIMEOUT}"
    assert found.signal.evidence == LOG.cite(1)
    assert found.signal.stamp.at is not None
    assert found.signal.stamp.at.isoformat() == "2026-03-01T03:00:04+00:00"


def test_each_part_of_a_pointed_line_is_checked() -> None:
    assert why(check_signal(desk(), said(evidence="E9"))) is Why.NO_EVIDENCE
    assert why(check_signal(desk(), said(quote="not there at all"))) is Why.QUOTE
    assert why(check_signal(desk(), said(quote="ring"))) is Why.QUOTE
    assert why(check_signal(desk(), said(entity="node/ghost-17"))) is Why.NAME
    assert why(check_signal(desk(), said(entity="gpu/gpu-n7/0000:91:00"))) is Why.NAME
    assert why(check_signal(desk(), said(time="03:00:05"))) is Why.TIME
    assert check_signal(desk(), said(time=None)) is not None


def test_a_line_that_a_catalogue_row_matched_needs_no_pointing() -> None:
    found = check_signal(
        desk(),
        said(evidence="E2", quote=LOST.evidence.excerpt[:12], entity="gpu/gpu-n7/0000:91:00", time=None),
    )
    assert isinstance(found, Dropped)


def test_only_what_no_class_describes_can_be_proposed() -> None:
    quotes = [SaidQuote(evidence="E1", quote="ring buffer stalled")]

    def proposed(failure_class: str, quotes: list[SaidQuote]) -> Proposal | Dropped:
        claim = SaidHypothesis(failure_class=failure_class, description="it stalled", quotes=quotes)
        return check_hypothesis(desk(), claim, frozenset({"gpu.fell_off_bus"}))

    found = proposed("unknown", quotes)
    assert isinstance(found, Proposal)
    assert found.evidence == (LOG.cite(1),)
    assert why(proposed("gpu.fell_off_bus", quotes)) is Why.REPEATED
    assert why(proposed("gpu.haunted", quotes)) is Why.NAME
    assert why(proposed("unknown", [])) is Why.NO_EVIDENCE
    assert why(proposed("unknown", [SaidQuote(evidence="E7", quote="ring buffer")])) is Why.NO_EVIDENCE
    assert why(proposed("unknown", [SaidQuote(evidence="E1", quote="invented words")])) is Why.QUOTE
