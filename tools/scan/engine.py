"""Finds the lines that any of many patterns may match, in one pass over the bytes: the only door to hyperscan.

hyperscan looks for the necessary conditions of all patterns at once (`expressions`); where its wheel is missing, a
search for the words that they need takes over, slower and with the same result. What comes out are candidates: the
exact pattern decides. Measured choices: docs/adr/0006-multi-pattern-engine.md.
"""

import importlib.util
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol, cast

from firstfault.tools.scan.blocks import BLOCK_BYTES, Block, blocks
from firstfault.tools.scan.expressions import expression_of
from firstfault.tools.scan.words import by_head, letter_tree, needed_words

if TYPE_CHECKING:
    import hyperscan

LARGE_TEXT = 2 * 1024 * 1024
"""From here on building an automaton pays: words are searched at a few MB a second. Units: bytes. See the ADR."""
LEAST_BLOCK = 64 * 1024
WINDOW = 4 * 1024
"""How far around the end of a match the exact pattern may look. Units: bytes. Bounds the work on endless lines."""

SAME_PLACE = WINDOW // 2
"""Matches on one line this near to each other are looked at together. Units: bytes."""


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
            piece = bytes(self.block.data[max(begin, end - WINDOW) : end])
            found.append(decode_piece(piece, is_cut_left=end - WINDOW > begin).rstrip("\r"))
            end = begin - 1
        return tuple(found)


class Matcher(Protocol):
    """Finds where patterns may match in a block."""

    @property
    def name(self) -> str:
        """Return `hyperscan` or `words`."""
        ...

    def ends(self, block: Block) -> list[tuple[int, int]]:
        """Return (end offset, pattern index) of what may match, in any order; an end lies on the line it is about."""
        ...


Larger = Callable[[int], Matcher | None]
"""Gives the automaton for a text of so many bytes, None as long as searching words is cheaper."""


class Scanner:
    """Looks for many patterns at once.

    Building an automaton takes a second: until `LARGE_TEXT` has been read, texts are searched for words instead, which
    gives the same lines. Tests and benchmarks may fix the matcher. larger: an automaton that others share, instead of an
    own one.
    """

    def __init__(
        self,
        patterns: Sequence[re.Pattern[str]],
        *,
        matcher: Matcher | None = None,
        larger: Larger | None = None,
    ) -> None:
        self._patterns = patterns
        self._fixed = matcher
        self._larger = larger
        self._read = 0

    def matcher(self, size: int) -> Matcher:
        """Return the matcher for a text of `size` bytes, to be read now."""
        if self._fixed is not None:
            return self._fixed
        if self._larger is not None:
            return self._larger(size) or self._words
        self._read += size
        return self._words if self._read < LARGE_TEXT or not has_hyperscan() else self._automaton

    @cached_property
    def _automaton(self) -> Matcher:
        return HyperscanMatcher(self._patterns)

    @cached_property
    def _words(self) -> Matcher:
        return WordMatcher(self._patterns)

    def hits(self, stream: BinaryIO, size: int) -> Iterator[Hit]:
        """Return the candidate lines of `stream` in line order, each line (or window of an endless one) once."""
        line, matcher = 1, self.matcher(size)
        for block in blocks(stream, block_bytes=min(BLOCK_BYTES, max(size + 1, LEAST_BLOCK))):
            data, counted = block.data, 0
            for spot in _spots(block, matcher.ends(block)):
                line += data.count(b"\n", counted, spot.start)
                counted = spot.start
                yield Hit(
                    line=line,
                    text=spot.text(data).rstrip("\r"),
                    patterns=spot.patterns,
                    is_whole=(spot.low, spot.high) == (spot.start, spot.stop),
                    block=block,
                    start=spot.start,
                )
            line += data.count(b"\n", counted, block.size)


class _Spot(NamedTuple):
    """A line of a block, from `start` to `stop`, and the window of it that is looked at."""

    start: int
    stop: int
    low: int
    high: int
    patterns: tuple[int, ...]

    def text(self, data: bytearray) -> str:
        """Return the text of the window."""
        piece = bytes(data[self.low : self.high])
        return decode_piece(piece, is_cut_left=self.low > self.start, is_cut_right=self.high < self.stop)


def _spots(block: Block, ends: list[tuple[int, int]]) -> Iterator[_Spot]:
    """Yield the lines that hold ends, in order; the far ends of an endless line one by one."""
    data, fresh, at = block.data, block.fresh, 0
    ends.sort()
    while at < len(ends):
        last = ends[at][0] - 1
        if last < fresh:
            at += 1
            continue
        start = data.rfind(b"\n", 0, last) + 1
        stop = data.find(b"\n", last, block.size)
        stop = block.size if stop < 0 else stop
        low, high = max(start, last - WINDOW), min(stop, last + WINDOW)
        furthest, found = min(high, last + SAME_PLACE), {ends[at][1]}
        at += 1
        while at < len(ends) and ends[at][0] - 1 <= furthest:
            found.add(ends[at][1])
            at += 1
        yield _Spot(start, stop, low, high, tuple(sorted(found)))


def decode_piece(data: bytes, *, is_cut_left: bool = False, is_cut_right: bool = False) -> str:
    """Return the text of a piece of a UTF-8 document; at cut ends without the characters that cutting broke.

    Broken bytes stay visible in the form that `evidence.decode` gives them.
    """
    begin, end = 0, len(data)
    while is_cut_left and begin < min(_LONGEST_CHAR, end) and data[begin] & 0xC0 == _CONTINUATION:
        begin += 1
    for back in range(1, min(_LONGEST_CHAR, end - begin) + 1) if is_cut_right else ():
        lead = data[-back]
        if lead & 0xC0 != _CONTINUATION:
            end -= back if back < _length_from(lead) else 0
            break
    return data[begin:end].decode("utf-8", errors="backslashreplace")


_LONGEST_CHAR = 4
_CONTINUATION = 0x80
"""The two highest bits of a byte that goes on with a character."""


def _length_from(lead: int) -> int:
    """Return how many bytes the character has that begins with `lead`."""
    return 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2 if lead >= 0xC0 else 1  # noqa: PLR2004 - RFC 3629


@cache
def has_hyperscan() -> bool:
    """Return whether the wheel is there."""
    return importlib.util.find_spec("hyperscan") is not None


class HyperscanMatcher:
    """Matches with one automaton over the necessary conditions of all patterns."""

    name = "hyperscan"

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        import hyperscan  # noqa: PLC0415 - the wheel is missing on some platforms

        self._nowhere = [0] * len(patterns)
        self._of_thread = threading.local()
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        caseless = hyperscan.HS_FLAG_CASELESS
        self._database.compile(
            expressions=[expression_of(pattern).encode() for pattern in patterns],
            ids=list(range(len(patterns))),
            flags=[
                hyperscan.HS_FLAG_MULTILINE | (caseless if pattern.flags & re.IGNORECASE else 0)
                for pattern in patterns
            ],
        )

    def ends(self, block: Block) -> list[tuple[int, int]]:
        """Return (end offset, pattern index) of what the automaton reports, once for each pattern and line."""
        found: list[tuple[int, int]] = []
        add, find, last = found.append, block.data.find, self._nowhere.copy()

        def keep(index: int, _start: int, end: int, _flags: int, _context: object) -> None:
            before = last[index]
            if before and end - before < SAME_PLACE and find(b"\n", before - 1, end - 1) < 0:
                return
            last[index] = end
            add((end, index))

        view = cast("bytes", block.view())  # any buffer will do
        self._database.scan(view, match_event_handler=keep, scratch=self._scratch())
        return found

    def _scratch(self) -> "hyperscan.Scratch":
        """Return the working memory of this thread: the automaton itself may be shared, its working memory may not."""
        import hyperscan  # noqa: PLC0415 - as above

        if not hasattr(self._of_thread, "scratch"):
            self._of_thread.scratch = hyperscan.Scratch(self._database)
        return self._of_thread.scratch


class WordMatcher:
    """Matches by the words that lines must hold: one regular expression in the form of a tree of their letters."""

    name = "words"

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        owners: dict[str, list[int]] = {}
        for index, pattern in enumerate(patterns):
            for word in needed_words(pattern):
                owners.setdefault(word, []).append(index)
        kin = by_head(owners)
        self._of_head = {
            head.encode(): [(word.encode(), owners[word]) for word in words] for head, words in kin.items()
        }
        self._tree = re.compile(letter_tree(list(kin)).encode()) if kin else None
        self._wordless = [index for index, pattern in enumerate(patterns) if not needed_words(pattern)]

    def ends(self, block: Block) -> list[tuple[int, int]]:
        """Return (end offset, pattern index) of the first place in every line where a needed word stands."""
        lower = bytes(block.view()).lower()
        found = [(end, owner) for owner in self._wordless for end in _line_ends(lower)]
        seen: dict[bytes, int] = {}
        at = 0
        while self._tree is not None and (match := self._tree.search(lower, at)) is not None:
            start, at = match.start(), match.start() + 1
            for word, owners in self._of_head[match[0]]:
                before = seen.get(word, -SAME_PLACE)
                is_new = start - before >= SAME_PLACE or lower.find(b"\n", before, start) >= 0
                if is_new and lower.startswith(word, start):
                    seen[word] = start
                    found.extend((start + len(word), owner) for owner in owners)
        return found


def _line_ends(data: bytes) -> Iterator[int]:
    """Yield an end offset on every line, and on every stretch of an endless one."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at, at + SAME_PLACE)
        at = (end if end >= 0 else min(at + SAME_PLACE, len(data)) - 1) + 1
        yield at
