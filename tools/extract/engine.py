"""Finds the lines that any of many patterns may match, in one pass over the bytes: the only door to hyperscan.

hyperscan looks for the necessary conditions of all patterns at once (`expressions`); where its wheel is missing, a
search for the words that they need takes over, slower and with the same result. What comes out are candidates: the
exact pattern decides. Measured choices: docs/adr/0006-multi-pattern-engine.md.
"""

import importlib.util
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, Protocol, cast

from firstfault.tools.evidence import decode
from firstfault.tools.extract.blocks import Block, blocks
from firstfault.tools.extract.expressions import Condition, condition

WINDOW = 4 * 1024
"""How far around the end of a match the exact pattern may look. Units: bytes. Bounds the work on endless lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One line that may match. text: decoded, without CR, at most `WINDOW` on both sides of what was found.

    patterns: indices into the patterns the scanner was made from, ascending. is_whole: the line was not cut.
    `above` may only be asked while this is the newest hit: the buffer is used again.
    """

    line: int
    text: str
    patterns: tuple[int, ...]
    is_whole: bool
    block: Block
    start: int

    def above(self, count: int) -> tuple[str, ...]:
        """Return up to `count` lines above, the nearest first; nothing beyond the block."""
        found: list[str] = []
        end = self.start - 1
        while len(found) < count and end > 0:
            begin = self.block.data.rfind(b"\n", 0, end) + 1
            found.append(decode_piece(bytes(self.block.data[max(begin, end - WINDOW) : end])).rstrip("\r"))
            end = begin - 1
        return tuple(found)


class Matcher(Protocol):
    """Finds where conditions may be met in a block."""

    @property
    def name(self) -> str:
        """Return `hyperscan` or `words`."""
        ...

    def ends(self, block: Block) -> list[tuple[int, int]]:
        """Return (end offset, pattern index) of what may match, in any order; an end lies on the line it is about."""
        ...


class Scanner:
    """Looks for many patterns at once. Build it once per set of patterns: building takes about a second."""

    def __init__(self, patterns: Sequence[re.Pattern[str]], *, matcher: Matcher | None = None) -> None:
        self._matcher = matcher or matcher_for([condition(pattern) for pattern in patterns])

    @property
    def engine(self) -> str:
        """Return the name of the engine in use."""
        return self._matcher.name

    def hits(self, stream: BinaryIO) -> Iterator[Hit]:
        """Return the candidate lines of `stream` in line order, each line (or window of an endless one) once."""
        line = 1
        for block in blocks(stream):
            counted = 0
            for hit in self._in_block(block):
                line += block.data.count(b"\n", counted, hit.start)
                counted = hit.start
                yield replace(hit, line=line)
            line += block.data.count(b"\n", counted, block.size)

    def _in_block(self, block: Block) -> Iterator[Hit]:
        data = block.data
        ends = sorted(end for end in self._matcher.ends(block) if end[0] > block.fresh)
        at = 0
        while at < len(ends):
            last = ends[at][0] - 1
            start = data.rfind(b"\n", 0, last) + 1
            stop = data.find(b"\n", last, block.size)
            stop = block.size if stop < 0 else stop
            low, high = max(start, last - WINDOW), min(stop, last + WINDOW)
            found: set[int] = set()
            while at < len(ends) and ends[at][0] - 1 <= high and (ends[at][0] - 1 <= last + WINDOW // 2):
                found.add(ends[at][1])
                at += 1
            yield Hit(
                line=0,
                text=decode_piece(bytes(data[low:high])).rstrip("\r"),
                patterns=tuple(sorted(found)),
                is_whole=(low, high) == (start, stop),
                block=block,
                start=start,
            )


def decode_piece(data: bytes) -> str:
    """Return the text of a piece of a document, without the broken characters that cutting left at its ends."""
    begin = 0
    while begin < min(4, len(data)) and data[begin] & 0xC0 == 0x80:  # noqa: PLR2004 - a UTF-8 continuation byte
        begin += 1
    text = data[begin:]
    for back in range(1, min(4, len(text)) + 1):
        lead = text[-back]
        if lead >= 0xC0:  # noqa: PLR2004 - the first byte of a longer character
            is_short = back < (4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2)  # noqa: PLR2004 - lengths of UTF-8
            text = text[:-back] if is_short else text
            break
        if lead < 0x80:  # noqa: PLR2004 - ASCII
            break
    return decode(text)


def matcher_for(conditions: Sequence[Condition]) -> Matcher:
    """Return the fastest matcher that this machine has."""
    return HyperscanMatcher(conditions) if importlib.util.find_spec("hyperscan") else WordMatcher(conditions)


class HyperscanMatcher:
    """Matches with one automaton over all conditions."""

    name = "hyperscan"

    def __init__(self, conditions: Sequence[Condition]) -> None:
        import hyperscan  # noqa: PLC0415 - the wheel is missing on some platforms

        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        caseless = hyperscan.HS_FLAG_CASELESS
        self._database.compile(
            expressions=[each.expression.encode() for each in conditions],
            ids=list(range(len(conditions))),
            flags=[hyperscan.HS_FLAG_MULTILINE | (caseless if each.caseless else 0) for each in conditions],
        )

    def ends(self, block: Block) -> list[tuple[int, int]]:
        """Return every (end offset, pattern index) that the automaton reports."""
        found: list[tuple[int, int]] = []
        add = found.append

        def keep(index: int, _start: int, end: int, _flags: int, _context: object) -> None:
            add((end, index))

        self._database.scan(cast("bytes", block.view()), match_event_handler=keep)  # any buffer will do
        return found


class WordMatcher:
    """Matches by the words that lines must hold, one search of the C library per word."""

    name = "words"

    def __init__(self, conditions: Sequence[Condition]) -> None:
        owners: dict[bytes, list[int]] = {}
        for index, each in enumerate(conditions):
            for word in each.literals:
                owners.setdefault(word.encode(), []).append(index)
        self._owners = sorted(owners.items())

    def ends(self, block: Block) -> list[tuple[int, int]]:
        """Return (end offset, pattern index) of the first place in every line where a needed word stands."""
        lower = bytes(block.view()).lower()
        found: list[tuple[int, int]] = []
        for word, owners in self._owners:
            at = lower.find(word)
            while at >= 0:
                found.extend((at + len(word), owner) for owner in owners)
                at = lower.find(word, at + len(word))
        return found
