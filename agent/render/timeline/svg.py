"""A timeline picture as inline SVG. Colours come from the page's style sheet (`.tl-…` classes)."""

from collections.abc import Iterator

from markupsafe import Markup, escape

from firstfault.agent.render.timeline.shapes import (
    FIRST_WORDS,
    Box,
    Mark,
    Picture,
    Shape,
    Stroke,
    Tone,
    Words,
)

_DIAMOND = 9.0
_DOT = 5.5
_SQUARE = 5.0
_CORNER = 1.5


def timeline_svg(picture: Picture) -> Markup:
    """Return the picture as one `<svg>` element, with a title and description for those who cannot see it."""
    head = (
        f'<svg class="tl" viewBox="0 0 {picture.width:g} {picture.height:g}" role="img" '
        'aria-labelledby="tl-title tl-desc" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="tl-title">{escape(picture.title)}</title><desc id="tl-desc">{escape(picture.description)}</desc>'
    )
    return Markup(head + "".join(part for shape in picture.shapes for part in _paint(shape)) + "</svg>")  # noqa: S704 - every text in it is escaped above and in _paint


def _paint(shape: Shape) -> Iterator[str]:
    if isinstance(shape, Stroke):
        dash = ' stroke-dasharray="3 4"' if shape.dashed else ""
        yield (
            f'<line class="tl-line tl-{shape.tone}" x1="{shape.x1:.1f}" y1="{shape.y1:.1f}" x2="{shape.x2:.1f}" '
            f'y2="{shape.y2:.1f}" stroke-width="{shape.width:g}"{dash}/>'
        )
    elif isinstance(shape, Box):
        yield (
            f'<rect class="tl-box tl-{shape.tone}" x="{shape.x:.1f}" y="{shape.y:.1f}" width="{shape.width:.1f}" '
            f'height="{shape.height:.1f}"/>'
        )
    elif isinstance(shape, Words):
        weight = ' font-weight="600"' if shape.bold else ""
        yield (
            f'<text class="tl-text tl-{shape.tone}" x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size:g}" '
            f'text-anchor="{shape.anchor}"{weight}>{escape(shape.text)}</text>'
        )
    else:
        yield from _mark(shape)


def _mark(mark: Mark) -> Iterator[str]:
    yield f'<g class="tl-mark tl-{mark.tone}"><title>{escape(mark.title)}</title>'
    if mark.tone in FIRST_WORDS:
        points = f"{mark.x:.1f},{mark.y - _DIAMOND:.1f} {mark.x + _DIAMOND:.1f},{mark.y:.1f} "
        points += f"{mark.x:.1f},{mark.y + _DIAMOND:.1f} {mark.x - _DIAMOND:.1f},{mark.y:.1f}"
        yield f'<polygon points="{points}"/>'
    else:
        half = {Tone.SYMPTOM: _SQUARE, Tone.CONTEXT: _DOT / 2}.get(mark.tone, _DOT)
        corner = _CORNER if mark.tone is Tone.SYMPTOM else half
        yield (
            f'<rect x="{mark.x - half:.1f}" y="{mark.y - half:.1f}" width="{mark.x2 - mark.x + 2 * half:.1f}" '
            f'height="{2 * half:g}" rx="{corner:g}"/>'
        )
    if mark.count > 1 and mark.tone is not Tone.CONTEXT:
        x, y = (mark.x + mark.x2) / 2, mark.y - _DOT - 3
        yield f'<text class="tl-count" x="{x:.1f}" y="{y:.1f}" font-size="9" text-anchor="middle">{mark.count}×</text>'
    yield "</g>"
