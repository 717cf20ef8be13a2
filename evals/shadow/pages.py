"""The shadow scorecard as people read it: in a terminal, as Markdown, as one HTML file, as a Slack message."""

from collections.abc import Sequence
from importlib import resources

from firstfault.agent.render.page import html_page
from firstfault.agent.render.phrases import numbered, seconds
from firstfault.agent.render.safety import markdown_text
from firstfault.evals.shadow import plots
from firstfault.evals.shadow.rows import Count, GroupRow
from firstfault.evals.shadow.scorecard import CALIBRATION_PERCENT, ShadowScorecard
from firstfault.evals.shadow.scores import Diagnosed
from firstfault.evals.shadow.standing import CellStanding

MAX_LISTED = 12
_CELLS = "Cells (failure class × action)"
SLACK_LINES = 12
NOTHING = (
    "nothing was scored: incidents that were investigated here are scored (`firstfault investigate`, "
    "`firstfault serve`), and `firstfault shadow backtest` replays past ones"
)


def markdown(scorecard: ShadowScorecard, cells: Sequence[CellStanding], title: str) -> str:
    """Return the scorecard as Markdown."""
    parts = [f"# {title}\n", *(f"- {line}" for line in headlines(scorecard)), ""]
    for heading, table in (
        (_CELLS, cell_table(cells)),
        ("Diagnosis, by time after the alert", offset_table(scorecard)),
        ("Verdict words", verdict_table(scorecard)),
        ("Weeks", group_table(scorecard.weeks)),
        ("Clusters", group_table(scorecard.clusters)),
    ):
        if len(table) > 1:
            parts += [f"## {heading}\n", _markdown_table(table), ""]
    for heading, listed in _lists(scorecard):
        parts += [f"## {heading}\n", *(f"- {markdown_text(item)}" for item in listed), ""]
    return "\n".join(parts).rstrip() + "\n"


def terminal(scorecard: ShadowScorecard, cells: Sequence[CellStanding]) -> str:
    """Return the scorecard as plain text."""
    parts = [*headlines(scorecard), ""]
    for table in (cell_table(cells), offset_table(scorecard), verdict_table(scorecard)):
        if len(table) > 1:
            parts += [_text_table(table), ""]
    for heading, listed in _lists(scorecard):
        parts += [f"{heading}:", *(f"  {item}" for item in listed), ""]
    return "\n".join(parts).rstrip()


def html(
    scorecard: ShadowScorecard,
    cells: Sequence[CellStanding],
    title: str,
    marks: Sequence[tuple[int, str]] = (),
) -> str:
    """Return the scorecard as one HTML file with plots. marks: percentages that the lower end of a cell needs."""
    template = (
        resources.files("firstfault.evals.shadow").joinpath("scorecard.html.j2").read_text(encoding="utf-8")
    )
    tables = {
        _CELLS: cell_table(cells),
        "Diagnosis, by time after the alert": offset_table(scorecard),
        "Verdict words": verdict_table(scorecard),
        "Weeks": group_table(scorecard.weeks),
        "Clusters": group_table(scorecard.clusters),
    }
    values = {
        "headlines": headlines(scorecard),
        "tables": {name: table for name, table in tables.items() if len(table) > 1},
        "plots": {
            _CELLS: plots.cells(scorecard.cells, marks),
            "Weeks": plots.trend(scorecard.weeks),
        },
        "notes": {
            _CELLS: "dashed: what the lower end needs for "
            + ", ".join(f"{name} ({at} %)" for at, name in marks)
        },
        "lists": _lists(scorecard),
        "card": scorecard,
    }
    return html_page(template, title, values)


def slack(scorecard: ShadowScorecard, cells: Sequence[CellStanding], title: str) -> str:
    """Return the scorecard as the text of one message, twelve lines at most."""
    ready = [cell for cell in cells if cell.next_mode and not cell.missing]
    lines = [f"*{title}*", *headlines(scorecard)]
    lines += [f"`{cell.row.name}` may go to {cell.next_mode} mode: a person decides" for cell in ready]
    lines += [f"Harm: {item}" for cell in cells for item in cell.row.harm]
    if len(lines) > SLACK_LINES:
        lines = [*lines[: SLACK_LINES - 1], f"and {len(lines) - SLACK_LINES + 1} more, in the full scorecard"]
    return "\n".join(lines)


def headlines(scorecard: ShadowScorecard) -> list[str]:
    """Return what matters most, a sentence each; where nothing was scored, how that changes."""
    if not scorecard.incidents:
        return [NOTHING]
    main = next((row for row in scorecard.offsets if row.offset_s == scorecard.score_offset_s), None)
    harm = sum(len(row.harm) for row in scorecard.cells)
    counted = f"{numbered('incident', scorecard.incidents)} over {numbered('day', scorecard.days)}"
    found = [f"{counted}, version {', '.join(scorecard.versions) or '–'}"]
    if main is not None:
        found.append(
            f"right {main.right.share}, first fault {main.first_fault.share}, owner {main.owner.share}"
        )
        lead = (
            ""
            if main.lead_median_s is None
            else f", {seconds(main.lead_median_s)} before people acted (median)"
        )
        found.append(f"people did what was recommended: {main.action.share}{lead}")
    quiet = f"false faults {scorecard.false_faults} of {scorecard.quiet} quiet incidents"
    found += [
        f"harm {harm}, false CONFIRMED {len(scorecard.false_confirmed)}, taken back by people {scorecard.undone}",
        f"{quiet}, {scorecard.false_faults_per_day:.2g} a day",
        f"excerpts found verbatim {scorecard.quotes - scorecard.misquotes} of {scorecard.quotes}",
        f"cost {_cost(scorecard)}",
    ]
    return found


def _cost(scorecard: ShadowScorecard) -> str:
    money = "not known" if scorecard.cost_usd is None else f"{scorecard.cost_usd:.2f} USD"
    time = "–" if scorecard.seconds_median is None else f"{scorecard.seconds_median:.2g} s"
    return f"{money}, {time} an investigation (median)"


def cell_table(cells: Sequence[CellStanding]) -> list[tuple[str, ...]]:
    """Return the cells, a head row first."""
    head = ("cell", "successes", "harm", "days", "unknown", "gate stopped", "mode", "for the next mode")
    return [head, *(_cell_line(cell) for cell in cells)]


def _cell_line(cell: CellStanding) -> tuple[str, ...]:
    row = cell.row
    following = "" if cell.next_mode is None else f"{cell.next_mode}: a person may promote it"
    if cell.missing:
        following = cell.missing[0] + (f" and {len(cell.missing) - 1} more" if len(cell.missing) > 1 else "")
    if row.stopped_by_gate and not row.scored:
        following = (
            f"the gate stopped every one ({row.stopped_by_gate}): `firstfault policy explain` says why"
        )
    share = str(Count(hits=row.successes, total=row.scored).share)
    numbers = (str(len(row.harm)), f"{row.days:.3g}", str(row.unknown), str(row.stopped_by_gate))
    return (row.name, share, *numbers, str(cell.mode), following)


def offset_table(scorecard: ShadowScorecard) -> list[tuple[str, ...]]:
    """Return how the diagnosis gets better with time, a head row first."""
    head = (
        "after",
        "incidents",
        *(str(kind).replace("_", " ") for kind in Diagnosed),
        "first fault",
        "culprit",
        "owner",
        "action",
    )
    rows = [
        (
            seconds(row.offset_s),
            str(row.incidents),
            *(str(row.diagnosed[kind]) for kind in Diagnosed),
            *(str(share.share) for share in (row.first_fault, row.culprit, row.owner, row.action)),
        )
        for row in scorecard.offsets
    ]
    return [head, *rows]


def verdict_table(scorecard: ShadowScorecard) -> list[tuple[str, ...]]:
    """Return how often each verdict word was right, a head row first."""
    rows = [
        (
            word.replace("_", " "),
            str(counted.share),
            f"{CALIBRATION_PERCENT[word]} %" if word in CALIBRATION_PERCENT else "",
        )
        for word, counted in scorecard.verdicts.items()
    ]
    return [("verdict", "right when said", "promised"), *rows]


def group_table(rows: Sequence[GroupRow]) -> list[tuple[str, ...]]:
    """Return clusters or weeks, a head row first."""
    lines = [
        (
            row.name,
            str(row.incidents),
            str(row.right.share),
            str(row.action.share),
            str(row.harm),
            str(row.false_faults),
        )
        for row in rows
    ]
    return [("", "incidents", "right", "action", "harm", "false faults"), *lines]


def _lists(scorecard: ShadowScorecard) -> list[tuple[str, list[str]]]:
    harm = [f"{row.name}: {item}" for row in scorecard.cells for item in row.harm]
    lists = (
        ("Would have been wrong or unsafe", harm),
        ("CONFIRMED and wrong", list(scorecard.false_confirmed)),
        ("Came back within a week", list(scorecard.came_back)),
        ("People disagree, not scored", list(scorecard.conflicts)),
        ("Nobody told the cause yet (`firstfault shadow label`)", list(scorecard.unknown)),
        ("No report", list(scorecard.missing)),
    )
    return [(heading, _short(items)) for heading, items in lists if items]


def _short(items: list[str]) -> list[str]:
    if len(items) <= MAX_LISTED:
        return items
    return [*items[:MAX_LISTED], f"and {len(items) - MAX_LISTED} more"]


def _markdown_table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(markdown_text(cell) for cell in line) + " |" for line in lines)


def _text_table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
