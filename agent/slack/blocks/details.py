"""The first reply in the thread: everything that the message has no room for. Pure."""

from collections.abc import Iterator
from typing import Any

from firstfault.agent.render.briefing import Briefing, brief
from firstfault.agent.render.citations import ranges
from firstfault.agent.render.phrases import VERDICTS, entity, gap, gate, gate_reasons
from firstfault.agent.report.contract import RecommendationPart
from firstfault.agent.slack.blocks.card import evidence_line
from firstfault.agent.slack.blocks.outcomes import outcome
from firstfault.agent.slack.blocks.parts import Block, context, message, section
from firstfault.agent.slack.blocks.text import code, local, prose
from firstfault.agent.slack.blocks.view import View

_EXCERPTS = 12
_STEPS = 8
_MOST = 8


def details(view: View) -> dict[str, Any]:
    """Return the reply: evidence, order, ruled out, not seen, what would decide, similar, what the gate said."""
    briefing = brief(view.report)
    parts = (
        ("Evidence", _evidence(view, briefing)),
        ("In order", _order(view, briefing)),
        ("Ruled out", _ruled_out(view, briefing)),
        ("Not seen", _not_seen(view)),
        ("What would change my mind", _would_decide(view)),
        ("Similar incidents", _similar(view)),
        ("What the gate said", _gate(view)),
        ("Do not", _do_not(view)),
        ("Approvals", _approvals(view)),
    )
    blocks: list[Block] = []
    for title, lines in parts:
        told = list(lines)
        if told:
            blocks.append(section("\n".join([f"*{title}*", *told]), more=view.whole("more")))
    why = view.report.diagnosis.because
    if why:
        blocks.insert(0, section(f"*Why {VERDICTS[view.report.verdict]}*\n{prose(why, 600)}"))
    blocks.append(
        context(f"{view.whole()} · report {view.standing.version} · {code(view.report.incident.id, 60)}")
    )
    return message(f"Details of {prose(view.report.incident.id, 60)}", blocks, more=view.whole("more"))


def _evidence(view: View, briefing: Briefing) -> Iterator[str]:
    shown = briefing.cited.ordered[:_EXCERPTS]
    for part in shown:
        yield f"[{briefing.cited.number(part.id)}] {evidence_line(view, briefing, part, 160)}"
    left = len(briefing.cited.ordered) - len(shown)
    if left > 0:
        yield f"and {left} more"


def _order(view: View, briefing: Briefing) -> Iterator[str]:
    first = view.report.first_fault
    if first is not None:
        when = local(first.at) if first.at else prose(briefing.first_when, 60)
        yield f"• {when}: {code(briefing.first_what, 100)}"
    for step in briefing.steps[:_STEPS]:
        times = f" ({step.count} times)" if step.count > 1 else ""
        on = prose(step.affected, 80)
        yield f"• {prose(step.offset, 30)} {code(step.signal, 60)} {on}{times}: {prose(step.told, 160)}"
    if len(briefing.steps) > _STEPS:
        yield f"and {len(briefing.steps) - _STEPS} more"


def _ruled_out(view: View, briefing: Briefing) -> Iterator[str]:
    for hypothesis in briefing.ruled_out[:_MOST]:
        numbers = briefing.cited.numbers(hypothesis.contradicting)
        cited = f" [{ranges(numbers)}]" if numbers else ""
        yield f"• {code(hypothesis.failure_class, 60)}: {prose(hypothesis.because, 240)}{cited}"
    if len(briefing.ruled_out) > _MOST:
        yield f"and {len(briefing.ruled_out) - _MOST} more: {view.whole()}"


def _not_seen(view: View) -> Iterator[str]:
    for part in view.report.gaps[:_MOST]:
        yield f"• {prose(gap(part), 200)} → would tell {prose(part.would_tell, 160)}"
    if len(view.report.gaps) > _MOST:
        yield f"and {len(view.report.gaps) - _MOST} more"


def _would_decide(view: View) -> Iterator[str]:
    """Yield the reads that would decide between what is still open."""
    open_ones = [h for h in view.report.hypotheses if h.verdict == "untested" and h.missing]
    for hypothesis in open_ones[:_MOST]:
        yield f"• {code(hypothesis.failure_class, 60)}: {prose('; '.join(hypothesis.missing[:2]), 240)}"
    if len(open_ones) > _MOST:
        yield f"and {len(open_ones) - _MOST} more classes that were not tested"


def _similar(view: View) -> Iterator[str]:
    for part in view.report.similar_incidents:
        if view.known is not None and part.id not in view.known:
            continue
        differs = f"; differs: {prose(', '.join(part.differences), 120)}" if part.differences else ""
        ended = f"; {prose(part.resolution, 160)}" if part.resolution else ""
        helped = f" ({prose(part.outcome, 40)})" if part.outcome else ""
        yield f"• {code(part.id, 60)}: both had {prose(', '.join(part.shared), 160)}{differs}{ended}{helped}"


def _gate(view: View) -> Iterator[str]:
    for number, part in enumerate(view.recommendations(), start=1):
        yield f"{number} {code(part.action, 40)} {code(entity(part.target), 60)}: {_word(part)}"
        yield f"     {prose(part.why, 200)}"


def _word(part: RecommendationPart) -> str:
    reasons = "; ".join(gate_reasons(part.policy))
    policies = ", ".join(code(policy, 60) for policy in part.policy.determining[:4])
    told = f" ({prose(reasons, 240)})" if reasons else ""
    return f"{gate(part.policy)}{told} · {policies}" if policies else f"{gate(part.policy)}{told}"


def _do_not(view: View) -> Iterator[str]:
    for part in view.report.do_not[:_MOST]:
        yield f"• {code(part.action, 60)}: {prose(part.why, 240)}"


def _approvals(view: View) -> Iterator[str]:
    for each in view.standing.asked:
        yield f"• {outcome(view, each)} · {code(each.approval.id, 40)}"
