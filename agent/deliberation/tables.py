"""The view as text: compact tables, strangers' text last in its row, inside a fence that its content cannot know. Pure."""

import hashlib
from collections.abc import Iterable, Sequence

from firstfault.agent.deliberation.desk import Desk
from firstfault.agent.deliberation.lines import unexplained_lines
from firstfault.agent.findings import Hypothesis, Role, Standing, TimelineEntry
from firstfault.tools.evidence import CoverageState, Document, Evidence
from firstfault.tools.times import Stamp

MAX_SIGNALS = 24
MAX_VALUES = 6
SAME_LINE = "(same line)"
MAX_HYPOTHESES = 12
MAX_LINES = 10
MAX_DOCUMENTS = 20
MAX_ENTITIES = 40
MAX_GAPS = 8
_COUNTED_BYTES = 8 * 1024 * 1024
"""Documents up to this size have their lines counted for the table."""


def view_text(desk: Desk) -> str:
    """Return everything a model is shown at first."""
    return fenced("\n\n".join(part for part in _sections(desk) if part))


def fenced(body: str) -> str:
    """Return `body` between marks that carry its own digest: no content can close a fence it would have to contain."""
    mark = hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:8]
    return f"<data {mark}>\n{body}\n</data {mark}>"


def evidence_row(desk: Desk, evidence: Evidence) -> str:
    """Return `E7 | raw/kernel.log:12 | text`."""
    where = desk.text(evidence.path, 80)
    return f"{desk.name_of(evidence)} | {where}:{evidence.line_start} | {desk.line(evidence)}"


def signal_row(desk: Desk, entry: TimelineEntry, *, first: bool, text: str | None = None) -> str:
    """Return one row of the signal table, with `text` in place of the line when it was shown before."""
    signal = entry.signal
    role = "first fault" if first else str(entry.role)
    numbers = {
        k: v for k, v in signal.attributes.items() if isinstance(v, int | float) and not isinstance(v, bool)
    }
    values = " ".join(f"{name}={value}" for name, value in sorted(numbers.items())[:MAX_VALUES])
    times = f" x{signal.count}" if signal.count > 1 else ""
    place = f"{desk.text(signal.evidence.path, 80)}:{signal.evidence.line_start}"
    name = f"{signal.name}{times}"
    cells = (
        desk.name_of(signal.evidence),
        time_of(signal.stamp),
        desk.shown_entity(signal.entity),
        name,
        role,
        values,
        place,
    )
    return f"{' | '.join(cells)} | {desk.line(signal.evidence) if text is None else text}"


def time_of(stamp: Stamp) -> str:
    """Return the time as a claim may state it: UTC, or uptime, or nothing."""
    if stamp.at is not None:
        return stamp.at.strftime("%Y-%m-%dT%H:%M:%S.%f").rstrip("0").rstrip(".") + "Z"
    return f"uptime {stamp.uptime_s}" if stamp.uptime_s is not None else "-"


def _sections(desk: Desk) -> Iterable[str]:
    yield _incident(desk)
    yield _hypotheses(desk)
    yield _signals(desk)
    yield _meanings(desk)
    yield _unexplained(desk)
    yield _table(
        "DOCUMENTS path | kind | lines | complete",
        [_document(desk, d) for d in desk.view.documents],
        MAX_DOCUMENTS,
    )
    yield _table("ENTITIES", [", ".join(list(desk.entities)[:MAX_ENTITIES])] if desk.entities else [], 1)
    gaps = [f"{g.kind or desk.text(g.source, 60)} | {desk.text(g.would_tell, 140)}" for g in desk.view.gaps]
    yield _table("NOT SEEN source | what it would tell", list(dict.fromkeys(gaps)), MAX_GAPS)


def _table(head: str, rows: Sequence[str], limit: int) -> str:
    if not rows:
        return ""
    rest = [f"(and {len(rows) - limit} more)"] if len(rows) > limit else []
    return "\n".join([head, *rows[:limit], *rest])


def _incident(desk: Desk) -> str:
    incident, diagnosis = desk.view.incident, desk.view.diagnosis
    opened = incident.opened_at.isoformat() if incident.opened_at else "unknown"
    rows = [f"question: {desk.text(incident.question, 300)}", f"opened: {opened}"]
    if diagnosis is not None:
        rows.append(
            f"so far: {diagnosis.verdict} {diagnosis.failure_class}, owner {diagnosis.owner}: {desk.text(diagnosis.summary, 200)}"
        )
    return "\n".join(["INCIDENT", *rows])


def _hypotheses(desk: Desk) -> str:
    ordered = sorted(desk.view.hypotheses, key=lambda h: _STANDINGS.index(h.standing))
    return _table(
        "HYPOTHESES class | standing | why | evidence",
        [_hypothesis(desk, h) for h in ordered],
        MAX_HYPOTHESES,
    )


_STANDINGS = (Standing.SUPPORTED, Standing.UNTESTED, Standing.RULED_OUT)


def _hypothesis(desk: Desk, hypothesis: Hypothesis) -> str:
    cited = (*hypothesis.supporting, *hypothesis.contradicting)[:3]
    names = " ".join(desk.name_of(item) for item in cited)
    return (
        f"{hypothesis.failure_class} | {hypothesis.standing} | {desk.text(hypothesis.because, 120)} | {names}"
    )


def _signals(desk: Desk) -> str:
    entries = shown_entries(desk.view.timeline)
    left_out = len(desk.view.timeline) - len(entries)
    first = desk.view.diagnosis.first_fault if desk.view.diagnosis else None
    shown: set[str] = set()
    rows: list[str] = []
    for entry in entries:
        text = SAME_LINE if entry.signal.evidence.id in shown else None
        rows.append(signal_row(desk, entry, first=entry.signal == first, text=text))
        shown.add(entry.signal.evidence.id)
    more = [f"(and {left_out} more: show_signals)"] if left_out else []
    head = "SIGNALS evidence | time | entity | signal | role | values | place | text"
    return "\n".join([head, *rows, *more]) if rows else "SIGNALS none"


def shown_entries(timeline: Sequence[TimelineEntry]) -> list[TimelineEntry]:
    """Return at most MAX_SIGNALS entries in timeline order: causes, then one of each name, then the rest."""
    names: set[str] = set()
    ranks: list[tuple[int, int]] = []
    for index, entry in enumerate(timeline):
        rank = 0 if entry.role is Role.CAUSE else 2 if entry.signal.name in names else 1
        names.add(entry.signal.name)
        ranks.append((rank, index))
    return [timeline[index] for index in sorted(index for _, index in sorted(ranks)[:MAX_SIGNALS])]


def _meanings(desk: Desk) -> str:
    names = dict.fromkeys(entry.signal.name for entry in shown_entries(desk.view.timeline))
    rows = [f"{name}: {desk.view.glosses[name][:120]}" for name in names if name in desk.view.glosses]
    return _table("MEANINGS", rows, MAX_SIGNALS)


def _unexplained(desk: Desk) -> str:
    explained = {
        (item.path, line)
        for entry in desk.view.timeline
        for item in entry.signal.all_evidence
        for line in range(item.line_start, item.line_end + 1)
    }
    rows = [
        evidence_row(desk, item)
        for item in unexplained_lines(desk.view.documents, explained, limit=MAX_LINES)
    ]
    return _table("UNEXPLAINED LINES evidence | place | text", rows, MAX_LINES)


def _document(desk: Desk, document: Document) -> str:
    lines = (
        str(len(document.lines)) if document.body.size <= _COUNTED_BYTES else f"{document.body.size} bytes"
    )
    states = {c.state for c in desk.view.coverage if c.path == document.path}
    complete = "yes" if CoverageState.COMPLETE in states else "no"
    return f"{desk.text(document.path, 80)} | {document.kind} | {lines} | {complete}"
