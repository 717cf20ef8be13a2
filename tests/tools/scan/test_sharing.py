"""Several selections of patterns share one automaton and report each their own."""

import io
import re

import pytest

from firstfault.tools.extract.lines import catalogue
from firstfault.tools.kinds import Kind
from firstfault.tools.scan.engine import LARGE_TEXT, Scanner
from firstfault.tools.scan.sharing import Shared

PATTERNS = [re.compile(text, re.ASCII) for text in ("kernel panic", "link down", "out of memory")]
TEXT = b"a kernel panic\nthe link down again\nout of memory\n"


def hits(shared: Shared, selected: list[int]) -> list[tuple[int, tuple[int, ...]]]:
    chosen = [PATTERNS[index] for index in selected]
    scanner = Scanner(chosen, larger=shared.select(selected))
    return [(hit.line, hit.patterns) for hit in scanner.hits(io.BytesIO(TEXT), len(TEXT))]


@pytest.mark.parametrize("expected", [0, LARGE_TEXT])
def test_each_selection_finds_its_own_patterns_by_their_place_in_it(expected: int) -> None:
    shared = Shared(PATTERNS)
    shared.expect(expected)
    assert hits(shared, [2, 0]) == [(1, (1,)), (3, (0,))]
    assert hits(shared, [1]) == [(2, (0,))]


def test_what_all_have_read_together_decides() -> None:
    shared = Shared(PATTERNS)
    first, second = shared.select([0]), shared.select([1])
    assert first(LARGE_TEXT - 1) is None
    found = second(1)
    assert found is not None
    assert found.name == "hyperscan"


def test_notes_of_people_are_never_worth_an_automaton() -> None:
    _, scanner = catalogue().of(Kind.OPERATOR_NOTES)
    assert scanner.matcher(1 << 40).name == "words"
