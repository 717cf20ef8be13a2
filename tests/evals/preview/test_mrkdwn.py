"""mrkdwn as Slack's page on formatting describes it."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.evals.preview.mrkdwn import plain, shown


class Read(HTMLParser):
    """What a reader sees, and which tags there are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[str] = []
        self.feed(text)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.tags.append(tag)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*bold* words", "<b>bold</b> words"),
        ("_two words_", "<i>two words</i>"),
        ("~gone~", "<s>gone</s>"),
        ("snake_case_name", "snake_case_name"),
        ("2*3*4", "2*3*4"),
        ("`*not bold*`", "<code>*not bold*</code>"),
        ("```\na\nb```", "<pre>a\nb</pre>"),
        ("a &lt;b&gt; &amp; c", "a &lt;b&gt; &amp; c"),
        ("one\ntwo", "one<br>two"),
        ("<https://example.com/a?b=1&amp;c=2|page>", '<a href="https://example.com/a?b=1&amp;c=2">page</a>'),
        ("<https://example.com/a_b_c>", '<a href="https://example.com/a_b_c">https://example.com/a_b_c</a>'),
        ("<@U1>", '<span class="mention">@U1</span>'),
        ("<!channel>", '<span class="mention">!channel</span>'),
    ],
)
def test_forms(text: str, html: str) -> None:
    assert shown(text) == html


def test_a_date_is_told_and_its_fallback_kept() -> None:
    html = shown("<!date^1796000000^{date_short_pretty} {time_secs}|then>")
    assert html == '<time title="then">Nov 30, 2026 12:53:20 AM</time>'


@given(st.text())
def test_nothing_becomes_html_of_its_own(text: str) -> None:
    allowed = {"a", "b", "br", "code", "i", "pre", "s", "span", "time"}
    assert set(Read(shown(text)).tags) <= allowed
    assert set(Read(plain(text)).tags) <= {"br", "span"}
