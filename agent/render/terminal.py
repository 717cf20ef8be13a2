"""The report on a terminal: the first screen answers what, where, when, who owns it, what to do and what not to do.

Everything is printed as plain text, never as markup; what came from outside is made visible first (`safety`).
Colour is left to the console: off a terminal, or with NO_COLOR, there is none.
"""

from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from firstfault.agent.render.briefing import Briefing, brief
from firstfault.agent.render.citations import place, ranges
from firstfault.agent.render.phrases import (
    FIRST_LINES,
    VERDICTS,
    WHY,
    entity,
    gap,
    gate,
    gate_reasons,
    located,
    mode_note,
    plural,
)
from firstfault.agent.render.safety import cut, one_line
from firstfault.agent.render.sequence import Step
from firstfault.agent.report.contract import Report

MIN_WIDTH = 80
MAX_WIDTH = 140
_LABEL_WIDTH = 14
_STYLES = {
    "CONFIRMED": "bold white on red",
    "LIKELY": "bold black on yellow",
    "INCONCLUSIVE": "bold black on cyan",
    "NO_FAULT": "bold black on green",
}
_MOST = {"steps": 4, "do": 3, "do_not": 3, "ruled_out": 4, "gaps": 4, "similar": 2}
"""Rows of each part that the terminal shows; the rest is counted and is in the HTML report."""


def render(report: Report, console: Console | None = None, *, more: Sequence[str] = ()) -> None:
    """Print the report, on standard output unless a console is given.

    more: where to look further (`report.html`, a command), printed on the last line.
    """
    console = console or Console()
    width = max(MIN_WIDTH, min(MAX_WIDTH, console.width))
    with console.capture() as captured:
        console.print(_whole(report, more), width=width, highlight=False, emoji=False)
    for line in captured.get().splitlines():
        console.file.write(line.rstrip(" ") + "\n")


def _whole(report: Report, more: Sequence[str]) -> RenderableType:
    briefing = brief(report)
    return Group(
        _headline(briefing),
        Rule(style="dim"),
        _rows(_what(briefing)),
        Text(),
        _rows(_measures(briefing)),
        Text(),
        *_evidence(briefing),
        _rows(_doubts(briefing)),
        Rule(style="dim"),
        _footer(report, more),
    )


def _headline(briefing: Briefing) -> RenderableType:
    report = briefing.report
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    grid.add_column(justify="right", no_wrap=True, overflow="ellipsis", max_width=32)
    grid.add_row(
        Text(f" {VERDICTS[report.verdict]} ", style=_STYLES[report.verdict]),
        Text(one_line(briefing.headline, 400), style="bold"),
        Text(one_line(report.incident.id, 32), style="dim"),
    )
    return grid


def _rows(rows: Iterable[tuple[str, RenderableType]]) -> RenderableType:
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=_LABEL_WIDTH, no_wrap=True, style="bold")
    grid.add_column(ratio=1)
    last = None
    for label, content in rows:
        grid.add_row(Text("" if label == last else label), content)
        last = label
    return grid


def _what(briefing: Briefing) -> Iterable[tuple[str, RenderableType]]:
    report = briefing.report
    if report.incident.question.strip():
        yield "Asked", Text(one_line(report.incident.question, 300), style="italic")
    first = FIRST_LINES[report.verdict]
    yield first, _sides(Text(cut(briefing.first_what, 120), style="bold"), briefing.first_where)
    yield first, Text(briefing.first_when)
    for step in briefing.steps[: _MOST["steps"]]:
        yield "Then", _step_line(step)
    yield from _left_out("Then", len(briefing.steps) - _MOST["steps"], "more kind of signal")
    yield "Cause", _cause(report)
    if briefing.said:
        yield "In words", _in_words(briefing)
    if report.diagnosis.because:
        yield WHY[report.verdict], Text(one_line(report.diagnosis.because, 400))
    if report.diagnosis.caused_by_change:
        told = (
            f"{one_line(key)}: {one_line(value, 120)}"
            for key, value in report.diagnosis.caused_by_change.items()
        )
        yield "Change", Text(", ".join(told))
    owner = Text(briefing.owner, style="bold")
    owner.append(f"   affected: {briefing.affected}", style="not bold")
    yield "Owner", owner
    for cause in report.common_causes[:2]:
        shared = (
            f"{cause.affected} of {cause.total} with {one_line(cause.dimension)} {one_line(cause.value, 60)}"
        )
        yield "In common", Text(f"{shared}, {cause.lift:.3g} times chance, p = {cause.p_value:.2g}")


def _in_words(briefing: Briefing) -> Text:
    line = Text()
    for sentence in briefing.said:
        line.append(f"{one_line(sentence.text, 320)} ")
        line.append(f"[{ranges(briefing.cited.numbers(sentence.evidence))}] ", style="dim")
    return line


def _cause(report: Report) -> Text:
    diagnosis = report.diagnosis
    line = Text(one_line(diagnosis.failure_class, 80), style="bold")
    if diagnosis.mechanism:
        line.append(f" / {one_line(diagnosis.mechanism, 60)}", style="not bold")
    if diagnosis.culprit is not None:
        line.append(f"   at fault: {cut(located(diagnosis.culprit), 120)}", style="not bold")
    return line


def _step_line(step: Step) -> RenderableType:
    """Return one row; the reason of an echo is what the diagnosis rests on and wraps, the others are cut."""
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=13, no_wrap=True)
    grid.add_column(ratio=1, no_wrap=step.role == "symptom", overflow="ellipsis")
    within = f" within {step.spread}" if step.spread and step.spread != "0 s" else ""
    times = f" ({step.count}×)" if step.count > 1 else ""
    line = Text(f"{one_line(step.signal, 80)}{cut(step.affected, 84)}{within}{times}")
    line.append(f"  {step.told}", style="dim")
    grid.add_row(Text(step.offset), line)
    return grid


def _measures(briefing: Briefing) -> Iterable[tuple[str, RenderableType]]:
    report = briefing.report
    shown = report.recommendations[: _MOST["do"]]
    for number, part in enumerate(shown, start=1):
        what = Text(f"{number}  ")
        what.append(one_line(part.action, 40), style="bold")
        what.append(f"  {cut(entity(part.target), 60)}")
        yield "Do", _sides(what, gate(part.policy))
        reasons = "; ".join(gate_reasons(part.policy))
        why = one_line(part.why, 300) + (f"  [{one_line(reasons, 200)}]" if reasons else "")
        yield "Do", Padding(Text(why, style="dim"), (0, 0, 0, 3))
    left = len(report.recommendations) - len(shown)
    note = mode_note([part.policy for part in report.recommendations])
    notes = ([f"and {left} more"] if left > 0 else []) + ([note] if note else [])
    if notes:
        yield "Do", Text(" · ".join(notes), style="dim italic")
    for refusal in report.do_not[: _MOST["do_not"]]:
        line = Text(one_line(refusal.action, 60), style="bold")
        line.append(f"  {one_line(refusal.why, 300)}", style="not bold")
        yield "Do not", line
    if not report.do_not:
        yield "Do not", Text("nothing in particular", style="dim")


def _evidence(briefing: Briefing) -> Iterable[RenderableType]:
    if not briefing.key_evidence:
        yield Text("Evidence: none was found that carries a diagnosis", style="bold")
        yield Text()
        return
    total = len(briefing.cited.ordered)
    yield Text(f"Evidence (check in 30 s; {len(briefing.key_evidence)} of {total} excerpts)", style="bold")
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=4, justify="right", no_wrap=True)
    grid.add_column(no_wrap=True, overflow="ellipsis", max_width=36)
    grid.add_column(ratio=1)
    for part in briefing.key_evidence:
        number = briefing.cited.number(part.id)
        grid.add_row(
            Text(str(number)), Text(place(part), style="cyan"), Text(one_line(part.excerpt[:2000], 240))
        )
    yield grid
    yield Text()


def _doubts(briefing: Briefing) -> Iterable[tuple[str, RenderableType]]:
    report = briefing.report
    for hypothesis in briefing.ruled_out[: _MOST["ruled_out"]]:
        line = Text(one_line(hypothesis.failure_class, 60), style="bold")
        line.append(f"  {one_line(hypothesis.because, 240)}", style="not bold")
        numbers = briefing.cited.numbers(hypothesis.contradicting)
        if numbers:
            line.append(f"  [{ranges(numbers)}]", style="cyan not bold")
        yield "Ruled out", line
    yield from _left_out("Ruled out", len(briefing.ruled_out) - _MOST["ruled_out"], "more class")
    for missing in report.gaps[: _MOST["gaps"]]:
        line = Text(gap(missing))
        line.append(f" → would tell {one_line(missing.would_tell, 200)}", style="dim")
        yield "Not seen", line
    yield from _left_out("Not seen", len(report.gaps) - _MOST["gaps"], "more gap")
    for similar in report.similar_incidents[: _MOST["similar"]]:
        ended = f"; {one_line(similar.resolution, 120)}" if similar.resolution else ""
        outcome = f" ({one_line(similar.outcome, 60)})" if similar.outcome else ""
        shared = one_line(", ".join(similar.shared), 120)
        yield "Similar", Text(f"{one_line(similar.id, 60)}: both had {shared}{ended}{outcome}")
    if not report.similar_incidents:
        yield "Similar", Text("none in memory", style="dim")


def _footer(report: Report, more: Sequence[str]) -> RenderableType:
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(ratio=1)
    grid.add_column(justify="right")
    left = f"Audit {report.audit.events} events, head {one_line(report.audit.head_digest, 64)[:12]}"
    if report.model is not None:
        left += f" · model {one_line(report.model.name, 40)}, {report.model.calls} calls"
    if report.claims_dropped:
        left += f" · {len(report.claims_dropped)} unproven sentences dropped"
    grid.add_row(Text(left, style="dim"), Text(" · ".join(more), style="dim"))
    return grid


def _sides(left: Text, right: str) -> RenderableType:
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(ratio=1)
    grid.add_column(justify="right", overflow="fold", max_width=36)
    grid.add_row(left, Text(one_line(right, 120), style="cyan"))
    return grid


def _left_out(label: str, number: int, what: str) -> Iterable[tuple[str, RenderableType]]:
    if number > 0:
        kind, _, of = what.partition(" of ")
        words = f"and {number} {plural(kind, number)}" + (f" of {of}" if of else "")
        yield label, Text(words, style="dim")
