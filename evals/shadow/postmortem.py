"""A first draft of a post-mortem: what is known, from the report, the audit chain and what people did. Facts only.

Every change and action is told with its four Ws (who, what, when, why); a W that nobody wrote down is a dash, and the
draft asks for it. The sections people must write are left empty and say so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from firstfault.agent.feedback.labels import Label
from firstfault.agent.render.briefing import brief
from firstfault.agent.render.citations import Citations, place
from firstfault.agent.render.page import html_page
from firstfault.agent.render.phrases import entity, gap, gate, moment, when
from firstfault.agent.render.safety import markdown_text, one_line
from firstfault.agent.report.contract import RecommendationPart, Report
from firstfault.agent.store import AuditEvent
from firstfault.evals.shadow.history import PastIncident
from firstfault.policies.actions import EXECUTABLE

UNKNOWN = "–"
MAX_TIMELINE = 40
_TOLD = ("approval.", "permit.", "execution.", "breaker.", "ledger.", "mode.", "decision.", "feedback.")
"""Kinds of audit event that are part of what happened, beside the stages of the investigation."""

Table = list[tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Postmortem:
    """What the draft is made of. carried_out: recommended action and name of its target → what became of it."""

    report: Report
    incident: PastIncident
    labels: tuple[Label, ...] = ()
    events: tuple[AuditEvent, ...] = ()
    carried_out: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of the draft. table: a head row first. is_ours: our sentences, in which ticks mark what to type."""

    heading: str
    lines: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    is_ours: bool = False


def sections(draft: Postmortem) -> tuple[Section, ...]:
    """Return the parts of the draft in order."""
    report, briefing = draft.report, brief(draft.report)
    cited = briefing.cited
    return (
        Section(heading="In short", lines=tuple(_short(draft))),
        Section(heading="Timeline", table=tuple(_timeline(report, cited))),
        Section(heading="Changes and actions", table=tuple(_four_ws(draft))),
        Section(heading="Recommended, and what became of it", table=tuple(_recommended(draft))),
        Section(heading="Evidence", lines=tuple(_evidence(cited))),
        Section(
            heading="Ruled out",
            lines=tuple(
                f"{each.failure_class}: {one_line(each.because, 300)}" for each in briefing.ruled_out[:10]
            ),
        ),
        Section(
            heading="Not seen",
            is_ours=True,
            lines=tuple(
                f"{gap(each)}; would tell {one_line(each.would_tell, 200)}" for each in report.gaps[:20]
            ),
        ),
        Section(heading="What people say", table=tuple(_labels(draft.labels))),
        Section(heading="Contributing factors", lines=("to be written by people",)),
        Section(heading="What will be different", lines=("to be written by people: who, what, until when",)),
    )


def markdown(draft: Postmortem) -> str:
    """Return the draft as Markdown."""
    parts = [f"# Draft post-mortem: {markdown_text(draft.incident.id)}\n"]
    for section in sections(draft):
        if not section.lines and len(section.table) <= 1:
            continue
        parts.append(f"## {section.heading}\n")
        parts += [f"- {markdown_text(line)}" for line in section.lines]
        if section.table:
            parts.append(_markdown_table(section.table))
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def html(draft: Postmortem) -> str:
    """Return the draft as one HTML file."""
    values = {"sections": [each for each in sections(draft) if each.lines or len(each.table) > 1]}
    return html_page(_TEMPLATE, f"Draft post-mortem: {one_line(draft.incident.id, 80)}", values)


_TEMPLATE = """\
{% extends "page.html.j2" %}
{% block body %}<header><h1>{{ title }}</h1></header><main>
{% for section in sections %}<section><h2>{{ section.heading }}</h2>
{% if section.lines %}<ul>{% for line in section.lines %}
<li class="wrap">{{ prose(line, 600) if section.is_ours else line }}</li>{% endfor %}</ul>{% endif %}
{% if section.table %}<div class="scroll"><table><thead><tr>{% for cell in section.table[0] %}<th>{{ cell }}</th>
{% endfor %}</tr></thead><tbody>{% for row in section.table[1:] %}<tr>{% for cell in row %}<td>{{ cell }}</td>
{% endfor %}</tr>{% endfor %}</tbody></table></div>{% endif %}</section>
{% endfor %}</main>{% endblock %}
"""


def _short(draft: Postmortem) -> Iterable[str]:
    report, incident = draft.report, draft.incident
    yield f"Asked: {one_line(report.incident.question, 300)}"
    yield f"{report.verdict.replace('_', ' ')}: {one_line(report.diagnosis.summary, 300)}"
    if report.diagnosis.because:
        yield f"Why {report.verdict.replace('_', ' ')}: {one_line(report.diagnosis.because, 300)}"
    if report.first_fault is not None:
        first = report.first_fault
        yield f"First fault: {entity(first.entity)}, {first.signal}, {when(first, first.line)}, {first.path}:{first.line}"
    yield f"Owner: {report.diagnosis.owner}"
    yield f"Alert: {moment(incident.alert_at) if incident.alert_at else UNKNOWN}"
    yield f"Resolved: {moment(incident.resolved_at) if incident.resolved_at else UNKNOWN}"
    yield f"Resolution: {one_line(incident.resolution or UNKNOWN, 400)}"
    yield f"Outcome: {one_line(incident.outcome or UNKNOWN, 200)}"


def _timeline(report: Report, cited: Citations) -> Table:
    told = [entry for entry in report.timeline if entry.role != "context"]
    rows = [
        (
            when(entry),
            one_line(entry.signal, 80) + (f" ×{entry.count}" if entry.count > 1 else ""),
            entity(entry.entity),
            entry.role,
            ", ".join(place(part) for part in map(cited.get, entry.evidence[:2]) if part is not None),
        )
        for entry in told[:MAX_TIMELINE]
    ]
    if len(told) > MAX_TIMELINE:
        rows.append(("", f"and {len(told) - MAX_TIMELINE} more", "", "", ""))
    return [("when", "what", "on", "role", "where"), *rows]


def _four_ws(draft: Postmortem) -> Table:
    rows: Table = []
    change = draft.report.diagnosis.caused_by_change
    if change:
        told = tuple(one_line(change.get(word) or UNKNOWN, 200) for word in ("who", "what", "when", "why"))
        rows.append((*told, "blamed change"))
    for action in draft.incident.actions or ():
        back = f", taken back {moment(action.undone_at)}" if action.undone_at else ""
        what = f"{action.action} on {action.target.kind} {action.target.name}{back}"
        rows.append(
            (one_line(action.actor, 80), one_line(what, 200), moment(action.at), UNKNOWN, action.source)
        )
    for event in draft.events:
        if event.kind.startswith(_TOLD):
            what = f"{event.kind} {event.subject}"
            rows.append(
                (event.actor, one_line(what, 200), event.at, one_line(event.why, 300), f"audit {event.seq}")
            )
    return [("who", "what", "when", "why", "source"), *rows]


def _recommended(draft: Postmortem) -> Table:
    rows = [
        (
            part.action,
            entity(part.target),
            one_line(part.why, 300),
            gate(part.policy),
            one_line(_became(part, draft), 200),
        )
        for part in draft.report.recommendations
    ]
    return [("action", "on", "why", "gate", "what became of it"), *rows]


def _became(part: RecommendationPart, draft: Postmortem) -> str:
    """Return what firstfault carried out, else what people did, else that it is not known."""
    own = draft.carried_out.get((part.action, part.target.name))
    if own is not None:
        return own
    done = [each for each in draft.incident.actions or () if each.action == part.action]
    same = next((each for each in done if each.target.name == part.target.name), None)
    if same is not None:
        return f"{same.actor} did it, {moment(same.at)}"
    if done:
        return f"{done[0].actor} did it on {done[0].target.name}, {moment(done[0].at)}"
    is_known = draft.incident.actions is not None and part.action in EXECUTABLE
    return "nobody did it" if is_known else UNKNOWN


def _evidence(cited: Citations) -> Iterable[str]:
    for part in cited.ordered[:10]:
        yield f"{place(part)}: {one_line(part.excerpt[:1000], 240)}"


def _labels(labels: Sequence[Label]) -> Table:
    rows = [
        (each.author, str(each.field), one_line(each.value, 200), moment(each.at), each.source)
        for each in labels
    ]
    return [("who", "about", "says", "when", "source"), *rows]


def _markdown_table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(markdown_text(cell) for cell in line) + " |" for line in lines)
