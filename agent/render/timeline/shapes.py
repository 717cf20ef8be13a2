"""What a timeline picture is made of, apart from how it is painted: a few shapes with a tone each."""

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """What a shape stands for; painters give each a colour (and marks a form of their own, for those who see none)."""

    INK = "ink"
    MUTED = "muted"
    GRID = "grid"
    BAND = "band"
    FIRST = "first"
    SIGN = "sign"
    QUIET = "quiet"
    CAUSE = "cause"
    ECHO = "echo"
    SYMPTOM = "symptom"
    CONTEXT = "context"


FIRST_WORDS = {Tone.FIRST: "first fault", Tone.SIGN: "first sign", Tone.QUIET: "shown by"}
"""The tones of the line that a diagnosis begins with, drawn as a diamond, and what that line is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    tone: Tone
    width: float = 1.0
    dashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Text on one line, its baseline at y. anchor: start, middle or end of the text is at x."""

    x: float
    y: float
    text: str
    tone: Tone
    size: float = 12.0
    anchor: str = "start"
    bold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One or several signals at one place, or all along from x to x2. title: what a pointer or reader is told."""

    x: float
    x2: float
    y: float
    tone: Tone
    count: int
    title: str


Shape = Stroke | Box | Words | Mark

LETTER = 0.56
"""Mean width of a letter in units of the text size, for the sans-serif faces that are used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Shapes in painting order on a canvas, with a title and a description in words."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str
    description: str


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is."""
    return len(text) * size * LETTER
