"""One automaton for several selections of patterns: kinds of document share most of them, and building one takes a second."""

import re
from collections.abc import Sequence
from threading import Lock

from firstfault.tools.scan.blocks import Block
from firstfault.tools.scan.engine import LARGE_TEXT, HyperscanMatcher, Larger, Matcher, has_hyperscan


class Shared:
    """Builds the automaton over all patterns when enough was read by all who share it, or is about to be. Thread-safe."""

    def __init__(self, patterns: Sequence[re.Pattern[str]], *, pays_from: int = LARGE_TEXT) -> None:
        self._patterns = patterns
        self._pays_from = pays_from
        self._read = 0
        self._automaton: Matcher | None = None
        self._building = Lock()

    def expect(self, size: int) -> None:
        """Say that texts of `size` bytes in all are about to be read: then none of them has to be searched slowly."""
        if size >= self._pays_from:
            self._read = max(self._read, self._pays_from)

    def select(self, selected: Sequence[int]) -> Larger:
        """Return what gives the matcher for the `selected` patterns, None as long as words are cheaper."""
        chosen: list[Selected] = []

        def matcher(size: int) -> Matcher | None:
            whole = self._grown(size)
            if whole is not None and not chosen:
                chosen.append(Selected(whole, selected, len(self._patterns)))
            return chosen[0] if chosen else None

        return matcher

    def _grown(self, size: int) -> Matcher | None:
        """Return the automaton, for a text of `size` bytes to be read now, once it pays."""
        self._read += size
        if self._read < self._pays_from or not has_hyperscan():
            return None
        with self._building:
            if self._automaton is None:
                self._automaton = HyperscanMatcher(self._patterns)
        return self._automaton


class Selected:
    """Reports some of the patterns of another matcher, by their place in the selection."""

    def __init__(self, whole: Matcher, selected: Sequence[int], count: int) -> None:
        self._whole = whole
        self._place = [-1] * count
        for place, index in enumerate(selected):
            self._place[index] = place

    @property
    def name(self) -> str:
        """Return the name of the matcher behind."""
        return self._whole.name

    def ends(self, block: Block) -> list[tuple[int, int]]:
        """Return (end offset, place in the selection) of what may match."""
        places = self._place
        return [(end, places[index]) for end, index in self._whole.ends(block) if places[index] >= 0]
