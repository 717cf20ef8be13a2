import io
import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.catalogs.patterns import all_patterns
from firstfault.tools.scan.engine import (
    LARGE_TEXT,
    WINDOW,
    Hit,
    HyperscanMatcher,
    Matcher,
    Scanner,
    WordMatcher,
    decode_piece,
)

WORDS = [re.compile(word, re.ASCII) for word in ("alpha", r"beta \d+", "(?i)gamma", r"^delta$", "alphabet")]
MATCHERS = [HyperscanMatcher, WordMatcher]
both = pytest.mark.parametrize("make", MATCHERS)
LOG = [pattern for pattern in all_patterns() if not pattern.table.startswith("note_")]
REGEXES = [pattern.regex for pattern in LOG]
ENGINES = [HyperscanMatcher(REGEXES), WordMatcher(REGEXES)]


def hits(matcher: Matcher, data: bytes) -> list[Hit]:
    return list(Scanner([], matcher=matcher).hits(io.BytesIO(data), len(data)))


def found(matcher: Matcher, regexes: list[re.Pattern[str]], data: bytes) -> set[tuple[int, int]]:
    return {
        (hit.line, index)
        for hit in hits(matcher, data)
        for index in hit.patterns
        if regexes[index].search(hit.text)
    }


@both
def test_lines_are_found_with_their_numbers(make: type[WordMatcher]) -> None:
    data = b"one\nhas alpha\n\nGamma and beta 12\r\ndelta\nlast alphabet"
    assert found(make(WORDS), WORDS, data) == {(2, 0), (4, 1), (4, 2), (5, 3), (6, 0), (6, 4)}


@both
def test_every_example_of_the_catalogue_is_found(make: type[WordMatcher]) -> None:
    matcher = ENGINES[MATCHERS.index(make)]
    data = "\n".join(pattern.example for pattern in LOG).encode()
    wanted = {(number, number - 1) for number in range(1, len(LOG) + 1)}
    assert wanted - found(matcher, REGEXES, data) == set()


pieces = st.one_of(
    st.sampled_from([pattern.example for pattern in LOG]),
    st.sampled_from(["", "\x00", "é", "\r", "iteration 12 | loss 2.1", "NVRM: ", "\udc80"]),
    st.text(max_size=8),
)
texts = st.lists(st.lists(pieces, max_size=3).map("".join), max_size=8).map("\n".join)


@given(texts)
def test_engines_find_all_that_the_patterns_find_line_by_line(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()
    if data.startswith(b"\xef\xbb\xbf"):
        return
    lines = [line.rstrip("\r") for line in data.decode().split("\n")]
    wanted = {
        (number, index)
        for number, line in enumerate(lines, start=1)
        for index, regex in enumerate(REGEXES)
        if regex.search(line)
    }
    for matcher in ENGINES:
        assert found(matcher, REGEXES, data) == wanted


@both
def test_a_line_that_no_block_can_hold_is_searched_in_windows(make: type[WordMatcher]) -> None:
    line = b"x" * 3_000_000 + b" alpha " + b"y" * 3_000_000 + b" beta 7 " + b"z" * 500_000
    data = b"first\n" + line + b"\nthen alpha\n"
    matcher = make(WORDS)
    assert found(matcher, WORDS, data) == {(2, 0), (2, 1), (3, 0)}
    assert all(len(hit.text) <= 2 * WINDOW for hit in hits(matcher, data))


@both
def test_nul_bytes_and_broken_utf8_disturb_nothing(make: type[WordMatcher]) -> None:
    data = b"\x00\x00alpha\x00\n\xff\xfe\xc3 beta 1 \xe2\x82\n\x00" * 3
    assert {line for line, _ in found(make(WORDS), WORDS, data)} == {1, 2, 3, 4, 5, 6}


def test_whole_lines_keep_what_is_broken() -> None:
    assert decode_piece(b"\x80 \xe2\x82") == "\\x80 \\xe2\\x82"
    assert decode_piece(b"\xff\xfea") == "\\xff\\xfea"


def test_the_lines_above_a_hit_can_be_read() -> None:
    scanner = Scanner(WORDS, matcher=WordMatcher(WORDS))
    data = b"1\n2\r\n3\nalpha\n"
    above = [hit.above(2) for hit in scanner.hits(io.BytesIO(data), len(data))]
    assert above == [("3", "2")]


def test_above_the_first_line_is_nothing() -> None:
    scanner = Scanner(WORDS, matcher=WordMatcher(WORDS))
    assert [hit.above(3) for hit in scanner.hits(io.BytesIO(b"alpha"), 5)] == [()]


def test_small_texts_are_not_worth_an_automaton() -> None:
    scanner = Scanner(WORDS)
    assert scanner.matcher(100).name == "words"
    assert scanner.matcher(LARGE_TEXT).name == "hyperscan"


def test_memory_stays_flat_on_a_text_that_matches_everywhere() -> None:
    data = b"alpha beta 1 " * 700_000
    matcher = HyperscanMatcher(WORDS)
    tracemalloc.start()
    for hit in Scanner(WORDS, matcher=matcher).hits(io.BytesIO(data), len(data)):
        assert len(hit.text) <= 2 * WINDOW
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 1024 * 1024


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain", "plain"),
        ("naïve €".encode(), "naïve €"),
        ("€".encode()[1:] + b" after", " after"),
        (b"before " + "€".encode()[:2], "before "),
        (b"\xff stays", "\\xff stays"),
        (b"", ""),
    ],
)
def test_a_piece_loses_only_what_cutting_broke(data: bytes, text: str) -> None:
    assert decode_piece(data, is_cut_left=True, is_cut_right=True) == text
