r"""Text that came from outside, made safe and honest to show.

Telemetry is hostile input: it may hold terminal escapes, characters that reorder or hide what follows, or towers of
accents. Colour codes are dropped; everything else that would not be seen as itself is written out (`\u202e`), so
that what a reader sees is what the evidence holds.
"""

import re
import unicodedata
from urllib.parse import urlsplit

_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_MARKDOWN = re.compile(r"([\\`\[\]|*_])")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that are not seen as themselves: controls, format characters, surrogates, private use."""
_BLANKS = {"\t": "    ", "\u00a0": " "}
_MARKS_KEPT = 2
"""Combining marks left on one letter; living scripts need no more, and towers of them cover other lines."""

MAX_SHOWN = 2000
"""Characters of one excerpt that are shown; the whole of it is in the stored evidence."""


def visible(text: str) -> str:
    """Return `text` on one or several lines, without anything a terminal or browser would act on."""
    plain = _COLOUR.sub("", text)
    if plain.isascii() and plain.isprintable():
        return plain
    shown: list[str] = []
    marks = 0
    for character in plain.replace("\r\n", "\n").rstrip("\r"):
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        shown.append(_written_out(character) if marks > _MARKS_KEPT else _shown(character))
    return "".join(shown)


def one_line(text: str, limit: int | None = None) -> str:
    """Return `text` made visible on one line, runs of blanks folded, cut at `limit` characters with an ellipsis."""
    flat = " ".join(visible(text).split())
    return flat if limit is None else cut(flat, limit)


def markdown_text(text: str) -> str:
    """Return one line of text that Markdown shows as it is: no tag, link, code or table cell begins in it."""
    return _MARKDOWN.sub(r"\\\1", one_line(text)).replace("<", "&lt;")


def cut(text: str, limit: int) -> str:
    """Return `text`, or its first characters and an ellipsis when it is longer than `limit`."""
    return text if len(text) <= limit else text[: max(0, limit - 1)].rstrip() + "…"


def excerpt(text: str, limit: int = MAX_SHOWN) -> str:
    """Return an excerpt as it is shown: visible, and where it is cut the number of characters left out is said."""
    shown = visible(text[: limit * 2])
    if len(shown) <= limit and len(text) <= limit * 2:
        return shown
    return f"{shown[:limit]}… ({len(text) - min(limit, len(text)):,} more characters in the stored evidence)"


def safe_link(link: str | None) -> str | None:
    """Return `link` when a browser may follow it (http or https with a host, no hidden characters), else None."""
    if link is None or visible(link) != link:
        return None
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    return link if parts.scheme in {"http", "https"} and parts.hostname else None


def _shown(character: str) -> str:
    if character == "\n":
        return character
    if character in _BLANKS:
        return _BLANKS[character]
    return _written_out(character) if unicodedata.category(character) in _HIDDEN else character


def _written_out(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:  # noqa: PLR2004 - the ranges of Python's own escapes
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004
