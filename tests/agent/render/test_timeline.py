"""The picture: lanes, clocks, folding, order, and both painters."""

import io
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from firstfault.agent.render.citations import citations
from firstfault.agent.render.timeline.grid import LEFT, RIGHT
from firstfault.agent.render.timeline.lanes import MAX_LANES, lanes
from firstfault.agent.render.timeline.layout import timeline_picture
from firstfault.agent.render.timeline.panels import MAX_PANELS, panels, scales
from firstfault.agent.render.timeline.png import SCALE, timeline_png
from firstfault.agent.render.timeline.shapes import (
    Mark,
    Picture,
    Tone,
    Words,
    text_width,
)
from firstfault.agent.render.timeline.svg import timeline_svg
from firstfault.agent.report.contract import Report
from tests import reports
from tests.agent.render import samples


def picture_of(report: Report) -> Picture:
    """Return the picture of a report that has a timeline."""
    found = timeline_picture(report)
    assert found is not None
    return found


def marks_of(report: Report) -> list[Mark]:
    """Return the marks on the lanes, the legend's own left out."""
    found = picture_of(report)
    return [s for s in found.shapes if isinstance(s, Mark) and s.y < found.height - 30]


def words_of(report: Report) -> list[str]:
    """Return every text in the picture."""
    return [shape.text for shape in picture_of(report).shapes if isinstance(shape, Words)]


def test_a_report_without_signals_has_no_picture() -> None:
    assert timeline_picture(samples.undecided()) is None


def test_the_first_fault_is_marked_once_on_the_top_lane() -> None:
    first = [mark for mark in marks_of(samples.gpu_079()) if mark.tone is Tone.FIRST]
    assert [mark.title for mark in first] == [
        "first fault: xid.79 on gpu 0000:91:00, uptime 6781741.548779 s, no wall clock"
    ]
    assert first[0].y == min(mark.y for mark in marks_of(samples.gpu_079()))
    assert "first fault: xid.79" in words_of(samples.gpu_079())


def test_each_clock_has_its_own_panel_and_says_which() -> None:
    words = words_of(samples.gpu_079())
    assert "uptime, raw/kernel.log" in words
    assert "order of lines, raw/nvidia-smi.txt" in words
    assert "spacing grows with the logarithm of time; panels share no clock" in words


def test_times_that_would_read_alike_are_shown_to_the_millisecond() -> None:
    assert {"+11.852 s", "+11.859 s"} <= set(words_of(samples.gpu_079()))


def test_hundreds_of_signals_fold_into_a_few_marks() -> None:
    assert len(samples.crowded().timeline) == 500
    found = marks_of(samples.crowded())
    assert len(found) < 20
    assert sum(mark.count for mark in found) == sum(entry.count for entry in samples.crowded().timeline)
    assert {"24 ranks", "12 pods", "12 nodes, context"} <= set(words_of(samples.crowded()))


def test_the_odd_one_out_keeps_its_lane() -> None:
    cited = reports.evidence("raw/a.log", 1, "x")
    ranks = [
        reports.entry("nccl.timeout", reports.entity("rank", str(n)), cited, at=samples.START)
        for n in range(63)
    ]
    silent = reports.entry(
        "nccl.silent_rank", reports.entity("rank", "63"), cited, role="cause", at=samples.START
    )
    assert lanes([*ranks, silent], None).labels == ("rank 63", "63 ranks")


def test_many_files_without_a_clock_are_gathered() -> None:
    parts = [reports.evidence(f"raw/{n}.log", n + 1, "x") for n in range(9)]
    timeline = [reports.entry("s", reports.entity("pod", str(n)), part) for n, part in enumerate(parts)]
    report = reports.report(timeline=timeline, evidence=parts)
    found = panels(report.timeline, None, citations(report))
    assert len(found) == MAX_PANELS
    assert found[-1].caption == "6 other files, no common clock"
    assert sum(len(panel.entries) for panel in found) == 9


TIMES = st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=40)


@settings(max_examples=60, deadline=None)
@given(TIMES)
def test_later_is_never_drawn_to_the_left(offsets: list[float]) -> None:
    cited = reports.evidence("raw/a.log", 1, "x")
    timeline = [
        reports.entry("s", reports.entity("pod", "p"), cited, at=samples.START + timedelta(seconds=offset))
        for offset in offsets
    ]
    report = reports.report(timeline=timeline, evidence=[cited])
    scale = scales(panels(report.timeline, None, citations(report)), LEFT, RIGHT, 20)[0]
    ordered = [scale.inset(value) for value in sorted(scale.panel.values)]
    assert ordered == sorted(ordered)
    assert ordered[0] >= LEFT
    assert ordered[-1] <= RIGHT


KINDS = st.sampled_from(["gpu", "node", "pod", "rank", "port"])
ENTRIES = st.lists(
    st.tuples(
        KINDS, st.integers(0, 30), st.sampled_from(["cause", "echo", "symptom", "context"]), st.floats(0, 1e4)
    ),
    min_size=1,
    max_size=60,
)


@settings(max_examples=40, deadline=None)
@given(ENTRIES)
def test_every_entry_is_in_the_picture_and_texts_do_not_meet(
    entries: list[tuple[str, int, str, float]],
) -> None:
    cited = reports.evidence("raw/a.log", 1, "x")
    timeline = [
        reports.entry(
            "sig", reports.entity(kind, str(n)), cited, role=role, at=samples.START + timedelta(seconds=s)
        )
        for kind, n, role, s in entries
    ]
    report = reports.report(timeline=timeline, evidence=[cited])
    picture = picture_of(report)
    assert sum(mark.count for mark in marks_of(report)) == len(entries)
    assert len(lanes(report.timeline, None).labels) <= MAX_LANES
    rows: dict[float, list[tuple[float, float]]] = {}
    for shape in picture.shapes:
        if isinstance(shape, Words):
            width = text_width(shape.text, shape.size)
            left = shape.x - {"start": 0.0, "middle": width / 2, "end": width}[shape.anchor]
            rows.setdefault(shape.y, []).append((left, left + width))
    for spans in rows.values():
        spans.sort()
        assert all(earlier[1] <= later[0] + 0.1 for earlier, later in pairwise(spans))


@pytest.mark.parametrize("sample", [samples.gpu_079, samples.crowded, samples.hostile])
def test_both_painters_paint_the_same_canvas(sample: Callable[[], Report]) -> None:
    picture = picture_of(sample())
    svg = ET.fromstring(str(timeline_svg(picture)))  # noqa: S314 - our own output
    assert svg.attrib["viewBox"] == f"0 0 {picture.width:g} {picture.height:g}"
    assert svg.find("{http://www.w3.org/2000/svg}desc") is not None
    png = timeline_png(picture)
    assert Image.open(io.BytesIO(png)).size == (round(picture.width * SCALE), round(picture.height * SCALE))
    assert png == timeline_png(picture)
