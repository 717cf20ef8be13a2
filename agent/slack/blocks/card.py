"""The message in the channel: at most 12 lines, read in ten seconds, checked in thirty (DESIGN §10). Pure."""

from collections.abc import Iterator, Sequence
from typing import Any

from firstfault.agent.render.briefing import Briefing, brief
from firstfault.agent.render.citations import place
from firstfault.agent.render.phrases import (
    FIRST_LINES,
    VERDICTS,
    entity,
    gap,
    gate,
    gate_reasons,
    mode_note,
    spread,
)
from firstfault.agent.render.safety import one_line
from firstfault.agent.report.contract import EvidencePart, FirstFaultPart, Report
from firstfault.agent.slack.blocks.names import Click
from firstfault.agent.slack.blocks.outcomes import status
from firstfault.agent.slack.blocks.parts import Block, actions, button, link_button, message, section
from firstfault.agent.slack.blocks.text import bold, code, date, link, local, plain, prose
from firstfault.agent.slack.blocks.view import View
from firstfault.policies.approvals import ApprovalState

MAX_LINES = 12
_LIGHTS = {"CONFIRMED": "🔴", "LIKELY": "🟠", "INCONCLUSIVE": "🔵", "NO_FAULT": "🟢"}
_EVIDENCE = 3
_DO = 2
_APPROVALS = 3
"""Actions with buttons of their own; a report rarely asks for more than two."""


def card(view: View) -> dict[str, Any]:
    """Return the message about one report."""
    briefing = brief(view.report)
    groups = (
        _what(view, briefing),
        _evidence(view, briefing),
        _doubts(view, briefing),
        [*_measures(view), *filter(None, (status(view),))],
    )
    blocks: list[Block] = [section("\n".join(lines), more=view.whole()) for lines in groups if lines]
    return message(fallback(view), [*blocks, *_buttons(view)])


def lines_of(content: dict[str, Any]) -> int:
    """Return how many lines of text a message has, buttons not counted."""
    texts = [block["text"]["text"] for block in content["blocks"] if block["type"] == "section"]
    return sum(text.count("\n") + 1 for text in texts)


def fallback(view: View) -> str:
    """Return the message in one sentence, for notifications and screen readers."""
    briefing = brief(view.report)
    do = next(iter(view.recommendations()), None)
    parts = [
        f"{VERDICTS[view.report.verdict]}: {prose(briefing.headline, 300)}",
        f"{FIRST_LINES[view.report.verdict].lower()}: {prose(briefing.first_what, 120)}, {prose(briefing.first_when, 60)}",
        f"owner: {prose(briefing.owner, 100)}",
    ]
    if do is not None:
        parts.append(
            f"recommended: {prose(do.action, 40)} {prose(entity(do.target), 80)} ({gate(do.policy)})"
        )
    return plain(". ".join(parts))


def _what(view: View, briefing: Briefing) -> list[str]:
    report = view.report
    name = link(view.page, code(report.incident.id, 40)) if view.page is None else _linked(view)
    first = FIRST_LINES[report.verdict]
    sure = spread(report.first_fault) if report.first_fault else ""
    shared = "".join(
        f", {cause.affected} of {cause.total} share {prose(cause.dimension, 40)} {code(cause.value, 60)}"
        for cause in report.common_causes[:1]
    )
    return [
        f"{_LIGHTS[report.verdict]} *{VERDICTS[report.verdict]}* · {prose(briefing.headline, 240)} · {name}",
        f"*{first}:* {code(briefing.first_what, 100)} · {_when(report.first_fault, briefing.first_when)}{sure}",
        f"*Affected:* {prose(briefing.affected, 160)}{shared}",
        f"*Owner:* {bold(briefing.owner, 100)}",
    ]


def _linked(view: View) -> str:
    return link(view.page, prose(view.report.incident.id, 40).replace("`", ""))


def _when(first: FirstFaultPart | None, words: str) -> str:
    return date(first.at) if first is not None and first.at is not None else prose(words, 80)


def _evidence(view: View, briefing: Briefing) -> list[str]:
    shown = briefing.key_evidence[:_EVIDENCE]
    if not shown:
        return ["*Evidence:* none was found that carries a diagnosis"]
    return [f"• {evidence_line(view, briefing, part)}" for part in shown]


def evidence_line(view: View, briefing: Briefing, part: EvidencePart, limit: int = 110) -> str:
    """Return `time | source | value | link` of one excerpt."""
    when = _time_of(view.report, part)
    where = view.source(part, prose(place(part), 80), briefing.cited.number(part.id))
    source = part.source.partition(":")[0] if part.source.startswith("recording:") else part.source
    return f"{when} | {prose(source, 40)} | {code(part.excerpt[:2000], limit)} | {where}"


def _time_of(report: Report, part: EvidencePart) -> str:
    """Return the time of an excerpt: its own, that of the signal it carries, or what the line says where that is no date."""
    entry = next((entry for entry in report.timeline if part.id in entry.evidence), None)
    at = part.at or (entry.at if entry else None)
    if at is not None:
        return local(at)
    if entry is None:
        return "no time"
    if entry.clock == "uptime" and entry.uptime_s is not None:
        return f"uptime {entry.uptime_s:.3f} s"
    raw = one_line(entry.raw_time, 40)
    return prose(f"{raw} as printed", 60) if raw and not raw.isdigit() else "no time"


def _doubts(view: View, briefing: Briefing) -> list[str]:
    report = view.report
    ruled_out = [f"{code(h.failure_class, 50)} ({prose(h.because, 90)})" for h in briefing.ruled_out[:2]]
    more = len(briefing.ruled_out) - 2
    gaps = [prose(gap(part), 110) for part in report.gaps[:2]]
    more_gaps = len(report.gaps) - 2
    return [
        f"*Ruled out:* {'; '.join(ruled_out) or 'nothing'}" + (f"; and {more} more" if more > 0 else ""),
        f"*Not seen:* {'; '.join(gaps) or 'nothing that was looked for'}"
        + (f"; and {more_gaps} more" if more_gaps > 0 else ""),
        f"*Similar:* {_similar(view)}",
    ]


def _similar(view: View) -> str:
    visible = [part for part in view.report.similar_incidents if view.known is None or part.id in view.known]
    if not visible:
        return "none in memory"
    first = visible[0]
    ended = f"; {prose(first.resolution, 100)}" if first.resolution else ""
    return f"{code(first.id, 40)} ({prose(', '.join(first.shared), 80)}){ended}"


def _measures(view: View) -> list[str]:
    parts = view.recommendations()
    if not parts:
        return [f"*Do:* nothing is recommended here{_tempting(view)}"]
    told: list[str] = []
    for number, part in enumerate(parts[:_DO], start=1):
        reasons = "; ".join(gate_reasons(part.policy))
        why = f": {prose(reasons, 100)}" if reasons else ""
        word = gate(part.policy)
        told.append(f"{number} {code(part.action, 40)} {code(entity(part.target), 60)} ({word}{why})")
    if len(parts) > _DO:
        told.append(f"and {len(parts) - _DO} more")
    note = mode_note([part.policy for part in parts])
    return [f"*Do:* {'; '.join(told)}{_tempting(view)}" + (f" · _{note}_" if note else "")]


def _tempting(view: View) -> str:
    """Return the wrong actions that are near at hand; why they are wrong is told in the thread."""
    names = [code(part.action, 40) for part in view.report.do_not[:_DO]]
    return f" · *Do not:* {', '.join(names)}" if names else ""


def _buttons(view: View) -> Iterator[Block]:
    incident = view.report.incident.id
    about = f"{incident}@{view.standing.version}"
    pending = [each for each in view.standing.asked if each.state is ApprovalState.PENDING]
    for each in pending[:_APPROVALS]:
        proposal, approval = each.decision.proposal, each.approval
        what = f"{proposal.action.value} {one_line(proposal.target.name, 40)}"
        yield actions(
            [
                button(f"Approve {what}", Click.APPROVE, approval.id, style="primary"),
                button("Reject", Click.REJECT, approval.id, style="danger", label=f"Reject {what}"),
            ],
            f"approval/{approval.id}",
        )
    row: Sequence[Block] = [
        button("Evidence", Click.EVIDENCE, about),
        button("Agree", Click.AGREE, about, label="Agree with this diagnosis"),
        button("Wrong cause", Click.WRONG, about, label="Say what the cause really was"),
        button("Re-run", Click.RERUN, about, label="Investigate again with what is there now"),
        button("Snooze", Click.SNOOZE, about, label="No more messages about this incident for a while"),
    ]
    extra = [link_button("Report", Click.OPEN, view.page)] if view.page else []
    yield actions([*row, *extra], "incident")
