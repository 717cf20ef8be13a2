import pytest

from firstfault.agent.deliberation.answer import (
    Read,
    ReadChanges,
    ReadEvents,
    ReadLogs,
    ReadMetrics,
    ReadObjects,
    ReadToolOutput,
    SearchLines,
    ShowLines,
    ShowSignals,
)
from firstfault.agent.deliberation.desk import Desk
from firstfault.agent.deliberation.reads import MAX_TABLE_BYTES, RefusedRead, carry_out, question_of
from firstfault.tools.evidence import Coverage, CoverageState, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Answer, Question
from tests.agent.deliberation.views import document, view
from tests.signals import node, pod

LOG = document("".join(f"step {n} needle {'x' * (n % 7)}\n" for n in range(1, 101)))


def never(_question: Question) -> Answer:
    raise AssertionError


def logs(**changes: object) -> ReadLogs:
    return ReadLogs.model_validate(
        {"tool": "read_logs", "kind": "kernel_log", "entity": "node/gpu-n7"} | changes
    )


def test_a_search_shows_head_and_tail_as_evidence_and_keeps_the_whole_table() -> None:
    desk = Desk(view=view(LOG))
    result = carry_out(desk, SearchLines(tool="search_lines", text="NEEDLE"), never)
    rows = result.table.split("\n")
    assert rows[0].startswith("E1 | raw/trainer.log:1 | step 1 needle")
    assert "(88 more between)" in rows
    assert rows[-1].startswith("E12 | raw/trainer.log:100 | step 100 needle")
    assert result.whole is not None
    assert len(result.whole.lines) == 100
    assert desk.by_name["E12"].excerpt == LOG.lines[99]


def test_lines_around_a_line_can_be_seen() -> None:
    desk = Desk(view=view(LOG))
    result = carry_out(desk, ShowLines(tool="show_lines", path="raw/trainer.log", line=50), never)
    assert len(result.table.split("\n")) == 11
    nothing = carry_out(desk, ShowLines(tool="show_lines", path="raw/trainer.log", line=10**30), never)
    assert nothing.table == "the document has no such line"


def test_signals_left_out_can_be_seen_by_name_and_entity() -> None:
    desk = Desk(view=view())
    assert "2 in all" in carry_out(desk, ShowSignals(tool="show_signals", name="sxid"), never).table
    one = ShowSignals(tool="show_signals", name="xid.79", entity="gpu/gpu-n7/0000:91:00")
    assert "1 in all" in carry_out(desk, one, never).table


QUESTIONS: list[tuple[Read, Question]] = [
    (logs(contains="Xid"), Question(kinds=(Kind.KERNEL_LOG,), entities=(node("gpu-n7"),), contains="Xid")),
    (
        ReadToolOutput(tool="read_tool_output", kind=Kind.IBSTAT, entity="node/gpu-n7"),
        Question(kinds=(Kind.IBSTAT,), entities=(node("gpu-n7"),)),
    ),
    (
        ReadObjects(tool="read_objects", entity="pod/train/trainer"),
        Question(
            kinds=(Kind.KUBE_OBJECTS, Kind.KUBECTL_DESCRIBE, Kind.KUBECTL_GET), entities=(pod("trainer"),)
        ),
    ),
    (
        ReadEvents(tool="read_events", entity="pod/train/trainer"),
        Question(kinds=(Kind.KUBE_EVENTS,), entities=(pod("trainer"),)),
    ),
    (
        ReadMetrics(tool="read_metrics", metric="DCGM_FI_DEV_GPU_TEMP", entity="node/gpu-n7"),
        Question(
            kinds=(Kind.PROMETHEUS_RESPONSE,), entities=(node("gpu-n7"),), contains="DCGM_FI_DEV_GPU_TEMP"
        ),
    ),
    (ReadChanges(tool="read_changes"), Question(kinds=(Kind.CHANGE_LOG, Kind.AUDIT_LOG))),
]


@pytest.mark.parametrize(("read", "question"), QUESTIONS, ids=[read.tool for read, _ in QUESTIONS])
def test_a_read_of_a_source_is_a_typed_question_about_an_entity_of_the_incident(
    read: Read, question: Question
) -> None:
    assert question_of(Desk(view=view()), read) == question


REFUSED: list[Read] = [
    logs(entity="node/ghost-17"),
    logs(entity="http://169.254.169.254/latest/meta-data"),
    logs(entity="secret/kube-system/token"),
    logs(entity="pod/kube-system/trainer"),
    logs(entity=""),
    logs(contains="x" * 500),
    logs(contains='a"} |= `b`\n'),
    logs(contains="a"),
    ReadMetrics(tool="read_metrics", metric='up{job="x"} or vector(1)'),
    ReadMetrics(tool="read_metrics", metric="sum(up)"),
    ReadEvents(tool="read_events", entity="*"),
    ReadObjects(tool="read_objects", entity="pod/train/trainer/../../secrets"),
    ShowLines(tool="show_lines", path="../truth.yaml", line=1),
    ShowLines(tool="show_lines", path="/etc/passwd", line=1),
    SearchLines(tool="search_lines", text="needle", path="truth.yaml"),
    SearchLines(tool="search_lines", text=""),
    SearchLines(tool="search_lines", text="a\u0000b"),
    ShowSignals(tool="show_signals", name="*"),
    ShowSignals(tool="show_signals", name="xid", entity="node/ghost-17"),
]


@pytest.mark.parametrize("read", REFUSED, ids=[read.model_dump_json()[:80] for read in REFUSED])
def test_what_is_not_of_this_incident_is_refused_before_any_source_is_asked(read: Read) -> None:
    with pytest.raises(RefusedRead) as caught:
        carry_out(Desk(view=view(LOG)), read, never)
    assert "ghost" not in str(caught.value)


def test_only_what_was_not_read_before_is_new() -> None:
    known = document("one\ntwo\nthree\n", kind=Kind.KERNEL_LOG)
    part = document("two\n", kind=Kind.KERNEL_LOG, path="live/kernel")
    more = document("two\nfour\n", kind=Kind.KERNEL_LOG, path="live/kernel-2")
    empty = document("", kind=Kind.KERNEL_LOG, path="live/none")
    desk = Desk(view=view(known))
    result = carry_out(desk, logs(), lambda _question: Answer(documents=(known, part, more, empty)))
    assert result.answer is not None
    assert result.answer.documents == (more,)


def test_lines_that_were_picked_out_never_count_as_all_lines() -> None:
    found = document("two\nfour\n", kind=Kind.KERNEL_LOG, path="live/kernel", complete=True)
    whole = Coverage(source="s", kind=Kind.KERNEL_LOG, state=CoverageState.COMPLETE, path="live/kernel")

    def source(_question: Question) -> Answer:
        return Answer(documents=(found,), coverage=(whole,))

    picked = carry_out(Desk(view=view()), logs(contains="four"), source).answer
    assert picked is not None
    assert not picked.documents[0].complete
    assert picked.coverage[0].state is CoverageState.PARTIAL
    everything = carry_out(Desk(view=view()), logs(), source).answer
    assert everything is not None
    assert everything.coverage == (whole,)


def test_what_could_not_be_had_is_shown_and_kept_as_a_gap() -> None:
    gap = Gap(source="loki", why="refused: 403", would_tell="what the kernel said")
    result = carry_out(Desk(view=view()), logs(), lambda _question: Answer(gaps=(gap,)))
    assert "refused: 403" in result.table
    assert result.answer is not None
    assert result.answer.gaps == (gap,)


def test_a_table_never_grows_beyond_its_bytes() -> None:
    wide = document("".join(f"needle {n} " + "y z " * 200 + "\n" for n in range(100)))
    result = carry_out(Desk(view=view(wide)), SearchLines(tool="search_lines", text="needle"), never)
    assert len(result.table.encode()) <= MAX_TABLE_BYTES + 100
