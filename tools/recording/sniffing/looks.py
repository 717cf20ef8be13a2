"""Tells which formats the lines of a text look like: all patterns on every line, or one pass of the engine for many texts."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate

from firstfault.tools.recording.sniffing.formats import Format, Strength, formats
from firstfault.tools.scan.blocks import Block
from firstfault.tools.scan.engine import HyperscanMatcher, has_hyperscan

MANY_CHARS = 192 * 1024
"""From here on building an automaton pays: trying every pattern on a line costs some 50 µs. Units: characters."""


class Looks:
    """Looks at texts one after the other; what it returns does not depend on how many there were."""

    def __init__(self) -> None:
        self._by_line = [each for each in formats() if each.strength in {Strength.SIGN, Strength.LINE}]
        self._seen = 0
        self._matcher: HyperscanMatcher | None = None

    def of(self, lines: Sequence[str]) -> Iterator[Format]:
        """Yield the formats that lines look like, once for each line, in the order of lines and of the table."""
        self._seen += sum(map(len, lines))
        if self._seen < MANY_CHARS or not has_hyperscan():
            return self._tried(lines)
        return self._scanned(lines)

    def _tried(self, lines: Sequence[str]) -> Iterator[Format]:
        return (each for line in lines for each in self._by_line if each.pattern.search(line))

    def _scanned(self, lines: Sequence[str]) -> Iterator[Format]:
        if self._matcher is None:
            self._matcher = HyperscanMatcher([each.pattern for each in self._by_line])
        parts = [line.encode("utf-8", "surrogatepass") for line in lines]
        data = bytearray(b"\n".join(parts))
        stops = list(accumulate(len(part) + 1 for part in parts))
        candidates = {
            (bisect_right(stops, end - 1), index)
            for end, index in self._matcher.ends(Block(data=data, size=len(data)))
        }
        for line, index in sorted(candidates):
            if self._by_line[index].pattern.search(lines[line]):
                yield self._by_line[index]


@cache
def looks() -> Looks:
    """Return the one of this process."""
    return Looks()
