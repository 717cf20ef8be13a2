"""Whether excerpts stand where a report says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.evals.quotes import misquotes, stands_in
from tests import reports

FILES = {"raw/a.log": ["first", "password=hunter2 for db", "\x1b[31mred\x1b[0m", "last"]}


@pytest.mark.parametrize(
    ("path", "line", "end", "excerpt", "why"),
    [
        ("raw/a.log", 1, 1, "first", None),
        ("raw/a.log", 1, 2, "first\npassword", None),
        ("raw/a.log", 3, 3, "\x1b[31mred\x1b[0m", None),
        ("raw/a.log", 2, 2, "password=‹redacted:password› for db", None),
        ("raw/a.log", 2, 2, "password=‹redacted:password› for cache", "the text is not on these lines"),
        ("raw/a.log", 3, 3, "red\x1b[31m", "the text is not on these lines"),
        ("raw/a.log", 1, 1, "last", "the text is not on these lines"),
        ("raw/a.log", 9, 9, "last", "the file has 4 lines"),
        ("raw/a.log", 0, 1, "first", "the file has 4 lines"),
        ("raw/b.log", 1, 1, "first", "no such file"),
        ("raw/a.log", 1, 1, " ", "the excerpt is empty"),
    ],
)
def test_an_excerpt_is_looked_up_at_its_lines(
    path: str, line: int, end: int, excerpt: str, why: str | None
) -> None:
    part = reports.evidence(path, line, excerpt, line_end=end)
    assert [fault.why for fault in misquotes([part], FILES.get)] == ([why] if why else [])


@given(st.text(), st.text(), st.text())
def test_a_substring_stands_in_its_text(before: str, middle: str, after: str) -> None:
    assert stands_in(middle, before + middle + after)


@given(st.text(), st.text(min_size=1), st.text())
def test_a_redaction_mark_stands_for_any_text(before: str, secret: str, after: str) -> None:
    assert stands_in(f"{before}‹redacted:token›{after}", before + secret + after)
