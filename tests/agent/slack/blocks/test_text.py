"""Words from outside: whatever they are, they mention nobody, link nothing, format nothing and stay within limits."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.slack.blocks.parts import MAX_SECTION, section
from firstfault.agent.slack.blocks.text import bold, code, date, link, plain, prose, shortened

ANY = st.text(max_size=400)
MARKUP = st.lists(
    st.sampled_from(
        [
            "<@U1>",
            "<!channel>",
            "<#C1|x>",
            "<http://evil|click>",
            "*b*",
            "_i_",
            "~s~",
            "`",
            "```",
            ":ab:",
            "&lt;",
            ">",
            "\n",
            " ",
            "x",
        ]
    ),
    max_size=30,
).map("".join)
_CODE = re.compile(r"`[^`]*`")
_FORMAT = re.compile(r"(?:^|[^\w])[*_~]\S|\S[*_~](?:[^\w]|$)|:[\w+'-]+:")


@given(st.one_of(ANY, MARKUP))
def test_no_words_become_markup(text: str) -> None:
    for shown in (code(text), prose(text)):
        assert "<" not in shown
        assert ">" not in shown
        assert "\n" not in shown
        assert shown.count("`") % 2 == 0
        assert not _FORMAT.search(_CODE.sub("", shown))


@given(st.one_of(ANY, MARKUP))
def test_bold_holds_no_format_of_its_own(text: str) -> None:
    shown = bold(text)
    assert shown == "" or shown.startswith("`") or shown.count("*") == 2


@given(st.lists(st.one_of(ANY, MARKUP), max_size=200))
def test_a_section_is_never_too_long(lines: list[str]) -> None:
    text = "\n".join(prose(line) for line in lines)
    block = section(text, more="<https://firstfault.example|more>")
    assert 0 < len(block["text"]["text"]) <= MAX_SECTION


@given(st.one_of(ANY, MARKUP), st.text(max_size=40))
def test_a_link_is_ours_or_none(url: str, words: str) -> None:
    shown = link(f"https://grafana.example/{url}", prose(words))
    assert shown.count("<") == shown.count(">") <= 1


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://", "ftp://x/y", "https://a b\u202e", None])
def test_what_a_browser_should_not_follow_is_no_link(url: str | None) -> None:
    assert link(url, "here") == "here"


def test_a_bus_address_is_no_emoji() -> None:
    assert prose("GPU 0000:ab:00.0 is gone") == "GPU `0000:ab:00.0` is gone"


def test_what_stands_in_backticks_stays_code() -> None:
    assert prose("get it with `kubectl logs -p <pod>`") == "get it with `kubectl logs -p &lt;pod&gt;`"


def test_a_time_is_in_the_readers_zone_and_in_utc() -> None:
    at = datetime(2026, 4, 1, 3, 12, 44, 120000, tzinfo=UTC)
    shown = date(at)
    assert shown.startswith("<!date^1775013164^")
    assert shown.endswith("(03:12:44.120 UTC)")
    assert plain(shown) == "2026-04-01 03:12:44.120 UTC (03:12:44.120 UTC)"


def test_a_cut_text_ends_with_where_the_rest_is() -> None:
    shown = shortened("\n".join(["x" * 50] * 10), 200, "<https://firstfault.example|more>")
    assert shown.endswith("|more>")
    assert len(shown) <= 200
