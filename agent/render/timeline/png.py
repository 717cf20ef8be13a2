"""A timeline picture as PNG, for places that show pictures but no SVG (Slack). The same layout, in light colours."""

import io
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

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

SCALE = 2
"""Pixels per unit of the layout."""
_WHITE = "#ffffff"
_COLOURS = {
    Tone.INK: "#16191d",
    Tone.MUTED: "#5b6470",
    Tone.GRID: "#d5d9df",
    Tone.BAND: "#f3f5f7",
    Tone.FIRST: "#c4161c",
    Tone.SIGN: "#0b6477",
    Tone.QUIET: "#12693a",
    Tone.CAUSE: "#c4161c",
    Tone.ECHO: "#5b6470",
    Tone.SYMPTOM: "#e2a52b",
    Tone.CONTEXT: "#8b949e",
}
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
_DASH = 4


def timeline_png(picture: Picture) -> bytes:
    """Return the picture as PNG bytes, the same for the same picture."""
    image = Image.new("RGB", (round(picture.width * SCALE), round(picture.height * SCALE)), _WHITE)
    canvas = ImageDraw.Draw(image)
    for shape in picture.shapes:
        _paint(canvas, shape)
    written = io.BytesIO()
    image.save(written, format="PNG", optimize=True)
    return written.getvalue()


def _paint(canvas: ImageDraw.ImageDraw, shape: Shape) -> None:
    if isinstance(shape, Stroke):
        _stroke(canvas, shape)
    elif isinstance(shape, Box):
        corner = (shape.x * SCALE, shape.y * SCALE)
        canvas.rectangle(
            (*corner, corner[0] + shape.width * SCALE, corner[1] + shape.height * SCALE),
            fill=_COLOURS[shape.tone],
        )
    elif isinstance(shape, Words):
        _words(canvas, shape)
    else:
        _mark(canvas, shape)


def _stroke(canvas: ImageDraw.ImageDraw, shape: Stroke) -> None:
    width = max(1, round(shape.width * SCALE))
    x1, y1, x2, y2 = (value * SCALE for value in (shape.x1, shape.y1, shape.x2, shape.y2))
    if not shape.dashed:
        canvas.line((x1, y1, x2, y2), fill=_COLOURS[shape.tone], width=width)
        return
    length = max(abs(x2 - x1), abs(y2 - y1)) or 1.0
    for start in range(0, int(length), 2 * _DASH * SCALE):
        end = min(start + _DASH * SCALE, length)
        piece = [
            x1 + (x2 - x1) * start / length,
            y1 + (y2 - y1) * start / length,
            x1 + (x2 - x1) * end / length,
            y1 + (y2 - y1) * end / length,
        ]
        canvas.line(piece, fill=_COLOURS[shape.tone], width=width)


def _words(canvas: ImageDraw.ImageDraw, words: Words) -> None:
    canvas.text(
        (words.x * SCALE, words.y * SCALE),
        words.text,
        fill=_COLOURS[words.tone],
        font=_font(words.size * SCALE),
        anchor=_ANCHORS[words.anchor],
        stroke_width=0.6 if words.bold else 0,
    )


def _mark(canvas: ImageDraw.ImageDraw, mark: Mark) -> None:
    x, x2, y = mark.x * SCALE, mark.x2 * SCALE, mark.y * SCALE
    colour = _COLOURS[mark.tone]
    if mark.tone in FIRST_WORDS:
        reach = 9 * SCALE
        canvas.polygon([(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)], fill=colour)
        return
    half = {Tone.SYMPTOM: 5.0, Tone.CONTEXT: 2.5}.get(mark.tone, 5.5) * SCALE
    is_echo = mark.tone is Tone.ECHO
    canvas.rounded_rectangle(
        (x - half, y - half, x2 + half, y + half),
        radius=3 if mark.tone is Tone.SYMPTOM else half,
        fill=_WHITE if is_echo else colour,
        outline=colour if is_echo else None,
        width=2 * SCALE if is_echo else 1,
    )
    if mark.count > 1 and mark.tone is not Tone.CONTEXT:
        middle = (mark.x + mark.x2) / 2
        _words(
            canvas,
            Words(x=middle, y=mark.y - 8.5, text=f"{mark.count}×", tone=Tone.MUTED, size=9, anchor="middle"),
        )


@lru_cache(maxsize=16)
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the face that comes with Pillow; letters it lacks are shown as boxes."""
    return ImageFont.load_default(size)
