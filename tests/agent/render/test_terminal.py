"""The terminal report: the first screen, widths, colour, hostile text."""

import io
import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from firstfault.agent.render.terminal import MAX_WIDTH, MIN_WIDTH, render
from firstfault.agent.report.contract import Report
from tests import reports
from tests.agent.render import samples

SAMPLES = [samples.gpu_079, samples.undecided, samples.healthy, samples.crowded, samples.hostile]


def printed(report: Report, width: int = 110, *, is_terminal: bool = False) -> str:
    """Return what the terminal shows."""
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=is_terminal,
        color_system="truecolor" if is_terminal else None,
    )
    render(report, console, more=["report.html"])
    return stream.getvalue()


def test_the_first_screen_answers_the_six_questions() -> None:
    screen = "\n".join(printed(samples.gpu_079()).splitlines()[:24])
    for answer in (
        "LIKELY",
        "One GPU fell off the PCIe bus",
        "raw/kernel.log:3",
        "uptime 6781741.548779 s, no wall clock",
        "Owner          platform",
        "cordon_node",
        "would need approval",
        "shadow mode: recorded and scored, not offered",
        "Do not         gpu_reset",
    ):
        assert answer in screen


def test_below_it_stand_evidence_what_was_ruled_out_and_what_was_not_seen() -> None:
    text = printed(samples.gpu_079(), 140)
    assert "GPU has fallen off the bus" in text
    assert re.search(r"Ruled out +nvlink.switch_fault +3 switches within 7 ms.*\[1-2, 5-6\]", text)
    assert "Not seen       BMC event log (not collected) → would tell" in text
    assert text.splitlines()[-1].endswith("report.html")


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("width", [40, 80, 97, 140, 300])
def test_no_line_is_wider_than_the_page(sample: Callable[[], Report], width: int) -> None:
    page = max(MIN_WIDTH, min(MAX_WIDTH, width))
    assert max(cell_len(line) for line in printed(sample(), width).splitlines()) <= page


@pytest.mark.parametrize("sample", SAMPLES)
def test_off_a_terminal_there_is_no_colour_and_no_trailing_blank(sample: Callable[[], Report]) -> None:
    text = printed(sample())
    assert "\x1b" not in text
    assert not [line for line in text.splitlines() if line.endswith(" ")]


def test_on_a_terminal_only_styles_are_sent() -> None:
    text = printed(samples.hostile(), is_terminal=True)
    assert set(re.findall(r"\x1b.", text)) == {"\x1b["}
    assert not re.findall(r"\x1b\[[0-9;]*[^0-9;m]", text)


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = io.StringIO()
    render(samples.gpu_079(), Console(file=stream, width=100, force_terminal=True))
    assert not re.findall(r"\x1b\[[0-9;]*(3[0-9]|4[0-9])[;m]", stream.getvalue())


def test_markup_is_text() -> None:
    assert "[bold]markup[/bold]" in printed(samples.hostile(), 140)


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet=st.characters(codec=None, categories=None), max_size=200))
def test_no_text_reaches_the_terminal_raw(text: str) -> None:
    report = reports.report(
        diagnosis=reports.diagnosis(summary=text, mechanism=text),
        gaps=[{"source": text, "entity": None, "why": text, "would_tell": text}],
    )
    shown = printed(report)
    assert not [c for c in shown if unicodedata.category(c).startswith("C") and c != "\n"]


def test_what_is_left_out_is_counted() -> None:
    text = printed(samples.crowded())
    assert "and 5 more classes" in text
    assert "5 of 500 excerpts" in text


def test_where_nothing_was_asked_no_question_is_shown() -> None:
    report = samples.gpu_079()
    asked = report.model_copy(update={"incident": report.incident.model_copy(update={"question": "Why?"})})
    silent = report.model_copy(update={"incident": report.incident.model_copy(update={"question": " "})})
    assert "Asked" in printed(asked)
    assert "Asked" not in printed(silent)
