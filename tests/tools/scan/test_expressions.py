import re

import pytest

from firstfault.tools.catalogs.patterns import all_patterns
from firstfault.tools.scan.expressions import expression_of
from firstfault.tools.scan.words import by_head, letter_tree, needed_words, required_words


def compiled(text: str) -> re.Pattern[str]:
    return re.compile(text, re.ASCII)


@pytest.mark.parametrize(
    ("pattern", "expression"),
    [
        (r"kernel panic: (?P<why>.*)", r"kernel\x20panic\x3a\x20"),
        (r"stuck for (?P<s>\d+)", r"stuck\x20for\x20(?:[\d])"),
        (r"^(?!no ).*lost carrier$", r"lost\x20carrier"),
        (r"mlx5_core.*timeout of a command", r"timeout\x20of\x20a\x20command"),
        (r"(?:first kind|second.*kind of)", r"(?:first\x20kind|\x20?kind of)"),
    ],
)
def test_only_the_telling_segment_is_left(pattern: str, expression: str) -> None:
    told = expression_of(compiled(pattern))
    if pattern.startswith("(?:first"):
        assert re.search(told, "first kind")
        assert re.search(told, "kind of")
        assert not re.search(told, "kind")
    else:
        assert told == expression


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (r"[●*] service down", "● service down"),
        (r"[^●] service down", "○ service down"),
        (r"[^●x] service down", "○ service down"),
        (r"[a-○]{2} service down", "é○ service down"),
        (r"[^a-○]+ service down", "● service down"),
    ],
)
def test_a_character_outside_ascii_is_several_bytes(pattern: str, line: str) -> None:
    assert compiled(pattern).search(line)
    assert re.search(expression_of(compiled(pattern)).encode(), line.encode())


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("kernel panic", {"kernel panic"}),
        ("(?:out of memory|OOM killed)", {"out of memory", "oom killed"}),
        (r"x=\d+", {"x="}),
        (r"(?:abc)?", set[str]()),
        (r"[ab]c", {"c"}),
        (r"lost(?: carrier)?", {"lost"}),
    ],
)
def test_words_that_every_match_holds(pattern: str, words: set[str]) -> None:
    assert needed_words(compiled(pattern)) == words


def test_heads_stand_for_the_words_that_they_begin() -> None:
    assert by_head(["exit code", "exit", "error", "exiting"]) == {
        "error": ["error"],
        "exit": ["exit", "exit code", "exiting"],
    }


def test_a_tree_of_letters_finds_the_same_words() -> None:
    words = list(by_head(["nvme timeout", "nvlink", "a.b", "x"]))
    tree = re.compile(letter_tree(words))
    assert [tree.fullmatch(word) is not None for word in words] == [True] * 4
    assert tree.search("aXb nvm") is None


def test_every_example_of_the_catalogue_holds_all_that_its_pattern_requires() -> None:
    for pattern in all_patterns():
        line = pattern.example.lower()
        assert all(any(word in line for word in words) for words in required_words(pattern.regex)), pattern.id


def test_each_part_of_a_pattern_requires_words_of_its_own() -> None:
    assert required_words(compiled(r"\b(?:bnxt|qede)\b.{0,60}(?:firmware|watchdog.{0,20}timeout)")) == (
        frozenset({"bnxt", "qede"}),
    )
