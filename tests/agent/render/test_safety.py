"""Hostile text is shown as what it is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.render.safety import cut, excerpt, one_line, safe_link, visible

ANY_TEXT = st.text(alphabet=st.characters(codec=None, categories=None))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[1;38:5:9mred", "red"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x1b[2J", "\\x1b[2J"),
        ("pay\u202efdp.exe", "pay\\u202efdp.exe"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("a\tb", "a    b"),
        ("one\r\ntwo\r", "one\ntwo"),
        ("over\rwritten", "over\\x0dwritten"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
        ("Größe 温度 сбой", "Größe 温度 сбой"),
        ("e\u0301", "e\u0301"),
        ("e\u0301\u0301\u0301", "e\u0301\u0301\\u0301"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANY_TEXT)
def test_nothing_that_acts_or_hides_is_left(text: str) -> None:
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not [c for c in visible(text) if unicodedata.category(c) in hidden and c != "\n"]
    visible(text).encode("utf-8")


@given(ANY_TEXT, st.integers(1, 40))
def test_one_line_is_one_line_and_short(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line.splitlines()) <= 1
    assert len(line) <= limit


def test_a_cut_says_so() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert excerpt("x" * 5000, 100) == "x" * 100 + "… (4,900 more characters in the stored evidence)"
    assert excerpt("short") == "short"


@pytest.mark.parametrize(
    ("link", "is_safe"),
    [
        ("https://grafana.example/d/1?from=1", True),
        ("http://127.0.0.1:3000/explore", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//evil.example", False),
        ("https://\u202eelpmaxe", False),
        ("https://[broken", False),
        ("https://", False),
        (None, False),
    ],
)
def test_only_web_links_are_followed(link: str | None, is_safe: bool) -> None:
    assert (safe_link(link) is not None) is is_safe
