"""Hundreds of ranks time out, one fault came first: the report names it, whatever it was and however the logs were kept."""

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from firstfault.agent.render.html import render as render_html
from firstfault.agent.render.terminal import render
from firstfault.agent.report.contract import Report
from firstfault.cli.inquiry import Inquiry, investigate_recording
from firstfault.evals.sim.headline.faults import Root, Story, answer_of
from firstfault.evals.sim.headline.folder import Logs, write_folder
from firstfault.evals.sim.headline.judging import mistakes
from firstfault.evals.sim.headline.site import Site
from firstfault.tools.recording import open_recording

NOW = datetime(2026, 12, 1, tzinfo=UTC)
SCREEN_LINES = 60
HTML_BYTES = 2_000_000


def report_on(story: Story, folder: Path, logs: Logs = Logs.RANKS) -> Report:
    recorded = folder / "recorded"
    recorded.mkdir()
    write_folder(story, recorded, logs)
    return investigate_recording(open_recording(recorded), Inquiry(now=NOW), state=folder / "state")


def told(root: Root, machines: int) -> Story:
    return Story.of(Site(seed=list(Root).index(root), machines=machines))


def screen(report: Report) -> str:
    stream = io.StringIO()
    render(report, Console(file=stream, width=120, color_system=None))
    return stream.getvalue()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("logs", [Logs.RANKS, Logs.PODS])
@pytest.mark.parametrize("root", [each for each in Root if each is not Root.SWITCH])
def test_the_first_fault_among_64_ranks(root: Root, logs: Logs, tmp_path: Path) -> None:
    story = told(root, machines=8)
    assert mistakes(report_on(story, tmp_path, logs), answer_of(story)) == ()


@pytest.mark.timeout(300)
def test_a_dead_switch_among_512_ranks_is_one_cause_of_32_machines(tmp_path: Path) -> None:
    story = told(Root.SWITCH, machines=64)
    report = report_on(story, tmp_path)
    assert mistakes(report, answer_of(story)) == ()
    assert [(cause.affected, cause.total) for cause in report.common_causes] == [(32, 32)]
    assert "cordon_node" not in {part.action for part in report.recommendations}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("logs", Logs)
def test_what_512_ranks_say_is_one_line_of_a_report_that_can_be_read(logs: Logs, tmp_path: Path) -> None:
    story = told(Root.OFF_BUS, machines=64)
    report = report_on(story, tmp_path, logs)
    assert mistakes(report, answer_of(story)) == ()
    shown = screen(report)
    assert story.machine is not None
    assert f"on {story.machine.name}" in shown
    assert "nccl.watchdog_timeout on 510 ranks" in shown
    assert len(shown.splitlines()) <= SCREEN_LINES
    assert len(render_html(report).encode()) < HTML_BYTES
