"""What readers look for in a text before they read it: patterns that stay within a line, and lines of a sane length."""

import re
from collections.abc import Iterator

from firstfault.tools.evidence import Document

LONGEST_LINE = 2_000
"""Tools that print for people print no longer lines; what lies beyond is not looked at. Units: characters."""

_SPACE = re.compile(r"(?<!\\)\\s")


def sign(*alternatives: str) -> re.Pattern[str]:
    r"""Return a pattern for any of `alternatives` in any line of a text.

    `\s` is read as white space within the line: a pattern that may run over empty lines takes quadratic time on them.
    """
    return re.compile("|".join(_SPACE.sub(r"[^\\S\\n]", text) for text in alternatives), re.MULTILINE)


def numbered(document: Document) -> Iterator[tuple[int, str]]:
    """Yield the lines with their 1-based numbers, without a trailing CR, cut where no tool prints on."""
    for number, line in enumerate(document.lines, start=1):
        yield number, line[:LONGEST_LINE].rstrip("\r")
