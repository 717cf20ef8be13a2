"""Two small pictures for the scorecard page, as inline SVG in the page's own colours."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

from firstfault.evals.shadow.rows import CellRow, Count, GroupRow

_WIDTH, _LEFT, _RIGHT = 860.0, 330.0, 40.0
_ROW, _TOP = 26.0, 30.0


def trend(weeks: Sequence[GroupRow]) -> Markup | None:
    """Return the share of right diagnoses by week with its interval, None for less than two weeks."""
    rows = [(row.name, row.right) for row in weeks if row.right.total]
    return _bars("Right diagnoses by week", rows, ()) if len(rows) > 1 else None


def cells(rows: Sequence[CellRow], marks: Sequence[tuple[int, str]]) -> Markup | None:
    """Return the share of successes by cell with its interval; marks: percentages that matter, with their names."""
    shown = [(row.name, Count(hits=row.successes, total=row.scored)) for row in rows if row.scored]
    return _bars("Successes by cell", shown, marks) if shown else None


def _bars(title: str, rows: Sequence[tuple[str, Count]], marks: Sequence[tuple[int, str]]) -> Markup:
    height = _TOP + _ROW * len(rows) + 14
    parts = [
        f'<svg class="tl" viewBox="0 0 {_WIDTH:g} {height:g}" role="img" xmlns="http://www.w3.org/2000/svg">',
        f"<title>{escape(title)}</title>",
        *_scale(height),
        *(part for percent, name in marks for part in _mark(percent, name, height)),
        *(part for number, row in enumerate(rows) for part in _bar(number, *row)),
        "</svg>",
    ]
    return Markup("".join(parts))  # noqa: S704 - every text in it is escaped


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _scale(height: float) -> Iterator[str]:
    for percent in (0, 25, 50, 75, 100):
        x = _x(percent / 100)
        yield f'<line class="tl-line tl-grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 6:g}" y2="{height - 8:g}"/>'
        yield _text(x, 14, f"{percent} %", "middle")


def _mark(percent: int, name: str, height: float) -> Iterator[str]:
    x = _x(percent / 100)
    yield (
        f'<line class="tl-line tl-muted" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 6:g}" y2="{height - 8:g}" '
        f'stroke-dasharray="3 4"><title>{escape(name)}: {percent} %</title></line>'
    )


def _bar(number: int, name: str, counted: Count) -> Iterator[str]:
    y = _TOP + number * _ROW + _ROW / 2
    low, high = counted.share.interval
    value = counted.share.value or 0.0
    yield _text(8, y + 4, name, "start")
    yield (
        f'<line class="tl-line tl-muted" x1="{_x(low):.1f}" x2="{_x(high):.1f}" y1="{y:.1f}" y2="{y:.1f}" '
        'stroke-width="2"/>'
    )
    yield f'<g class="tl-mark tl-symptom"><title>{escape(name)}: {escape(str(counted.share))}</title>'
    yield f'<rect x="{_x(value) - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" rx="1.5"/></g>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text class="tl-text tl-muted" x="{x:.1f}" y="{y:.1f}" font-size="11" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )
