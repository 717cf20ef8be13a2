"""The HTML report: self-contained, safe with hostile text, every reference leads somewhere."""

import base64
import hashlib
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from firstfault.agent.render.html import render
from firstfault.agent.report.contract import Report
from tests import reports
from tests.agent.render import samples

SAMPLES = [samples.gpu_079, samples.undecided, samples.healthy, samples.crowded, samples.hostile]
VOID = {"meta", "br"}
OUR_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "article"),
    *("div", "span", "h1", "h2", "p", "a", "b", "s", "br", "dl", "dt", "dd", "ol", "ul", "li", "pre", "code"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    *("svg", "desc", "rect", "line", "text", "g", "polygon"),
}


class Page(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag; it must be closed in order."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag that closes itself."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Close the tag that is open."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the words."""
        self.words.append(data)

    def values(self, name: str) -> list[str]:
        """Return every value of an attribute."""
        return [value for _, attrs in self.tags if (value := attrs.get(name)) is not None]


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_page_is_whole_and_every_reference_leads_somewhere(sample: Callable[[], Report]) -> None:
    page = Page(render(sample()))
    assert page.open == []
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    anchors = {href[1:] for href in page.values("href") if href.startswith("#")}
    assert anchors <= set(ids)
    assert not anchors or "e1" in anchors


@pytest.mark.parametrize("sample", SAMPLES)
def test_nothing_is_loaded_run_or_styled_from_outside(sample: Callable[[], Report]) -> None:
    page = Page(render(sample()))
    assert {tag for tag, _ in page.tags} <= OUR_TAGS
    names = {name for _, attrs in page.tags for name in attrs}
    assert not {name for name in names if name.startswith("on")}
    assert not names & {"src", "srcset", "style", "action", "formaction", "xlink:href"}
    assert all(href.startswith("#") for href in page.values("href"))


def test_the_policy_allows_exactly_the_style_sheet_in_the_page() -> None:
    text = render(samples.gpu_079())
    css = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert css is not None
    digest = base64.b64encode(hashlib.sha256(css[1].encode()).digest()).decode()
    policy = next(
        a["content"]
        for t, a in Page(text).tags
        if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in css[1]
    assert "@import" not in css[1]


def test_hostile_text_is_shown_not_obeyed() -> None:
    text = render(samples.hostile())
    words = "".join(Page(text).words)
    assert "<script>alert(1)</script>" in words
    assert "{{ 7*7 }}" in words
    assert "javascript:" not in text
    assert not re.search("[\x00-\x09\x0b-\x1f\u200b\u202e\ufeff]", text)
    text.encode("utf-8")


def test_huge_excerpts_are_cut_and_say_so() -> None:
    text = render(samples.hostile())
    assert "298,000 more characters in the stored evidence" in text
    assert "4,940 more lines in the stored evidence" in text
    assert len(text) < 100_000


def test_web_links_of_evidence_are_kept() -> None:
    part = reports.evidence("raw/a.log", 1, "x", link="https://grafana.example/explore?left=1&right=2")
    assert "https://grafana.example/explore?left=1&right=2" in Page(
        render(reports.report(evidence=[part]))
    ).values("href")


def test_line_numbers_stand_beside_the_lines() -> None:
    part = reports.evidence("raw/a.log", 41, "one\ntwo", line_end=42)
    text = render(reports.report(evidence=[part]))
    assert re.findall(r'class="num">(\d+)</span><span class="txt">(\w+)', text) == [
        ("41", "one"),
        ("42", "two"),
    ]


def test_everything_a_sceptic_asks_for_is_on_the_page() -> None:
    words = "".join(Page(render(samples.crowded())).words)
    for part in (
        "Ruled out",
        "Not seen",
        "history.crash_loop",
        "restarted 4 times in 24 h, limit 3",
        "explains the first fault: yes",
        "inc-2026-0112",
        "The switch rebooted at 03:10.",
        "21034 + 1804 tokens",
        "leaf-r3-2",
        "cable swap in rack r3",
        "31 events",
    ):
        assert part in words


def test_the_same_report_gives_the_same_page() -> None:
    assert render(samples.crowded()) == render(samples.crowded())
