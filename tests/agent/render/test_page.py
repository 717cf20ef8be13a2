"""What stands between ticks in our own sentences is code on a page, and nothing in it can be more than text."""

import pytest

from firstfault.agent.render.page import prose


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("get it with `dmesg -T`; then", "get it with <code>dmesg -T</code>; then"),
        ("`a` and `b`", "<code>a</code> and <code>b</code>"),
        ("one ` alone", "one ` alone"),
        ("`a` and one ` alone", "<code>a</code> and one ` alone"),
        ("`<b>` & <i>", "<code>&lt;b&gt;</code> &amp; &lt;i&gt;"),
        ("", ""),
    ],
)
def test_ticks_mark_code(text: str, html: str) -> None:
    assert str(prose(text, 100)) == html
