import pytest

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.entities import EntityKind
from firstfault.tools.evidence import Document
from firstfault.tools.extract.folding import LONGEST_EXCERPT
from firstfault.tools.extract.lines import Catalogue, catalogue, line_signals
from firstfault.tools.kinds import Family, Kind
from firstfault.tools.scan.engine import HyperscanMatcher, WordMatcher
from tests.documents import document
from tests.tools.extract.reading import only, signals, told


def test_groups_become_attributes_and_numbers_are_numbers() -> None:
    line = "[3.0] watchdog: BUG: soft lockup - CPU#12 stuck for 22s! [kworker/12:1:400]"
    assert told(only(line, "kernel.soft_lockup"), "cpu", "s", "task") == (12, 22, "kworker/12:1:400")


def test_a_collective_time_out_is_about_its_rank() -> None:
    line = (
        "[rank5]:[E701 10:11:12.000 ProcessGroupNCCL.cpp:632] [Rank 5] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=901, OpType=ALLGATHER, NumelIn=16, NumelOut=128, Timeout(ms)=600000) ran for 600044 milliseconds"
    )
    signal = only(line, "nccl.watchdog_timeout", Kind.APPLICATION_LOG)
    assert (signal.entity.kind, signal.entity.name) == (EntityKind.RANK, "5")
    assert told(signal, "seq", "op", "numel_out", "timeout_ms", "ran_ms") == (
        901,
        "ALLGATHER",
        128,
        600000,
        600044,
    )


TIMED_OUT = "caught collective operation timeout: WorkNCCL("


@pytest.mark.parametrize(
    "line",
    [
        f"Watchdog {TIMED_OUT}OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1807520 milliseconds",
        f"Watchdog {TIMED_OUT}SeqNum=3, OpType=ALLREDUCE, TensorShape=[1, 8], Timeout(ms)=1800000) ran for 1807520 milliseconds",
        f"[Rank 3] {TIMED_OUT}SeqNum=3, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1) ran for 1807520 milliseconds",
    ],
)
def test_time_outs_of_older_and_newer_versions(line: str) -> None:
    assert told(only(line, "nccl.watchdog_timeout", Kind.APPLICATION_LOG), "op", "ran_ms") == (
        "ALLREDUCE",
        1807520,
    )


FROM = "from peer 10.0.0.5<33092> with"


@pytest.mark.parametrize(
    ("text", "status", "peer"),
    [
        (f"{FROM} error 12, opcode 0, len 0, vendor err 129", 12, "10.0.0.5"),
        (f"{FROM} status=5 opcode=1 len=0 vendor err 249 (Recv)", 5, "10.0.0.5"),
        ("with error 12, opcode 1, len 0, vendor err 129", 12, None),
        (
            f"{FROM} status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) reqSize=0 vendor_err=129",
            12,
            "10.0.0.5",
        ),
    ],
)
def test_transport_errors_of_several_versions(text: str, status: int, peer: str | None) -> None:
    line = f"a:1:2 [0] NCCL WARN NET/IB : Got completion {text}"
    assert told(only(line, "nccl.ib_completion_error", Kind.APPLICATION_LOG), "status", "peer") == (
        status,
        peer,
    )


def test_the_lines_above_name_what_the_line_leaves_out() -> None:
    text = (
        "NVRM: The NVIDIA GPU 0000:3b:00.0\nNVRM: (PCI ID: 10de:2330) installed in this system has\n"
        "NVRM: fallen off the bus and is not responding to commands."
    )
    assert only(text, "nvrm.fell_off_bus").entity.key == "gpu/0000:3b:00"


def test_a_line_with_a_code_is_not_told_twice() -> None:
    assert [
        s.name for s in signals("NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.")
    ] == ["xid.79"]


def test_one_line_is_one_witness_whatever_number_of_rows_it_fits() -> None:
    line = 'Kernel module "ib_umad" has not been loaded, fabric manager cannot be started'
    assert {signal.family for signal in signals(line, Kind.JOURNAL)} == {Family.FABRIC}


@pytest.mark.parametrize("text", ["It was not OOMKilled.", "The pod was never OOMKilled", "OOMKilled: 0"])
def test_what_a_note_denies_is_no_signal(text: str) -> None:
    assert "kube.pod.oom_killed" not in {signal.name for signal in signals(text, Kind.OPERATOR_NOTES)}


def test_a_note_names_its_machine_on_the_line_or_the_one_above() -> None:
    quoted = "CUDA_ERROR_CONTAINED: Invalid access of peer GPU memory over nvlink or a hardware error"
    text = f"first_error: {{node: node-r10-05}}\nquoted: {quoted}"
    assert str(only(text, "cuda.contained", Kind.OPERATOR_NOTES).entity) == "node node-r10-05"


def test_a_worker_in_a_container_is_the_pod_not_a_machine_of_that_name() -> None:
    line = "trainer-0:99:121 [0] NCCL WARN NET/IB : mlx5_0:1 Got async event : port error"
    signal = only(line, "nccl.ib_async_event", Kind.CONTAINER_LOG, pod="trainer-0", namespace="train")
    assert signal.entity.kind is EntityKind.POD


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_change_nothing_but_the_ends(newline: str) -> None:
    text = newline.join(["one", "task python3:41 blocked for more than 120 seconds.", "three", ""])
    signal = only(text, "kernel.hung_task")
    assert (signal.evidence.line_start, signal.evidence.excerpt) == (
        2,
        "task python3:41 blocked for more than 120 seconds.",
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_other_encodings_give_the_same_signals(encoding: str) -> None:
    text = "one\nKernel panic - not syncing: müde\n"
    (signal,) = signals(text.encode(encoding))
    assert (signal.name, signal.evidence.line_start, signal.evidence.excerpt) == (
        "kernel.panic",
        2,
        "Kernel panic - not syncing: müde",
    )


def test_an_endless_line_is_quoted_around_the_match() -> None:
    text = "a" * 500_000 + " Kernel panic - not syncing: x " + "b" * 500_000
    signal = only(text, "kernel.panic")
    assert len(signal.evidence.excerpt) <= LONGEST_EXCERPT
    assert "Kernel panic - not syncing: x" in signal.evidence.excerpt
    assert signal.evidence.excerpt in text


def test_every_excerpt_stands_in_the_document() -> None:
    text = "\n".join(pattern.example for pattern in catalogue().patterns) + "\n\xff broken \udcff"
    doc = document(text, Kind.PLAIN)
    for signal in line_signals(doc, NO_CONTEXT):
        for evidence in signal.all_evidence:
            assert evidence.excerpt in doc.lines[evidence.line_start - 1]


def test_both_engines_give_the_same_signals() -> None:
    doc = document("\n".join(pattern.example for pattern in catalogue().patterns), Kind.PLAIN)
    tables = [Catalogue(catalogue().patterns, matcher=matcher) for matcher in (HyperscanMatcher, WordMatcher)]
    one, two = (line_signals(doc, NO_CONTEXT, table) for table in tables)
    assert one == two
    assert len(one) > 150


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\x00" * 5000, bytes(range(256)) * 40, b"\xff\xfe", b"NVRM: Xid (PCI:" * 3000]
)
def test_nothing_and_rubbish_are_no_error(data: bytes) -> None:
    doc = Document(path="x", kind=Kind.KERNEL_LOG, body=MemoryBody(data), source="s", query="q")
    line_signals(doc, NO_CONTEXT)
