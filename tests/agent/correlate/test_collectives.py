"""Ranks of made-up jobs; every text is written for the test in the form that PyTorch and NCCL print."""

import json
import re
from collections.abc import Iterable

import pytest

from firstfault.agent.correlate.collectives import collective_signals
from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.extract import extract
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.signals import Signal
from tests.documents import document


def reduced(*texts: str, kind: Kind = Kind.APPLICATION_LOG) -> tuple[Signal, ...]:
    documents = [document(text, kind, f"raw/{number}.log") for number, text in enumerate(texts)]
    readings = [read(each, NO_CONTEXT) for each in documents]
    signals = extract(documents, readings, NO_CONTEXT)
    return collective_signals(signals, [fact for reading in readings for fact in reading.facts])


def named(found: Iterable[Signal]) -> list[tuple[str, str]]:
    return [(signal.name, signal.entity.name) for signal in found if signal.name != "collective.hang_start"]


def waits(
    rank: int, seq: int = 31, op: str = "ALLREDUCE", size: int = 512, ran: int = 600_020, second: int = 9
) -> str:
    return (
        f"[rank{rank}]:[E412 08:20:{second:02}.000000 ProcessGroupNCCL.cpp:683] [Rank {rank}] Watchdog caught collective "
        f"operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={size}, NumelOut={size}, Timeout(ms)=600000) "
        f"ran for {ran} milliseconds before timing out."
    )


def status(
    rank: int, seq: int = 31, enqueued: int = 33, completed: int = 30, group: str = "0(default_pg)"
) -> str:
    return (
        f"[rank{rank}]:[E412 08:20:09.100000 ProcessGroupNCCL.cpp:2241] [PG ID 0 PG GUID {group} Rank {rank}]  failure detected "
        f"by watchdog at work sequence id: {seq} PG status: last enqueued work: {enqueued}, last completed work: {completed}"
    )


def answers(rank: int, last: int = 30) -> str:
    return (
        f"[rank{rank}]:[E412 08:20:09.300000 ProcessGroupNCCL.cpp:1858] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Received a "
        f"dump signal due to a collective timeout from  rank 1 and we will try our best to dump the debug info. "
        f"Last enqueued NCCL work: {last}, last completed NCCL work: {last}."
    )


INIT = (
    "{host}:9:9 [{gpu}] NCCL INFO ncclCommInitRank comm 0x5f rank {rank} nranks 4 cudaDev {gpu} nvmlDev {gpu} "
    "busId {bus} commId 0x7 - Init COMPLETE"
)


def job(*lines: str) -> str:
    return "\n".join(lines)


def test_the_rank_that_says_nothing_is_the_suspect() -> None:
    found = reduced(job(*(line for rank in (0, 1, 3, 4) for line in (waits(rank), status(rank)))))
    assert named(found) == [("collective.silent_rank", "2")]
    signal = found[-1]
    assert (
        signal.attributes["waiting_seq"],
        signal.attributes["waiting_op"],
        signal.attributes["world"],
    ) == (31, "ALLREDUCE", 5)


def test_a_communicator_tells_of_ranks_behind_the_last_that_spoke() -> None:
    init = INIT.format(host="gpu-1", gpu=0, rank=0, bus="1000")
    assert named(reduced(job(init, *(waits(rank) for rank in (0, 1, 2))))) == [
        ("collective.silent_rank", "3")
    ]


def test_one_log_of_one_rank_accuses_nobody() -> None:
    assert named(reduced(waits(7))) == []


def test_few_witnesses_do_not_make_the_others_silent() -> None:
    assert named(reduced(job(waits(0), waits(9)))) == []


def test_a_rank_behind_that_still_answers() -> None:
    lines = [line for rank in (1, 2, 3) for line in (waits(rank), status(rank))]
    found = reduced(job(answers(0), *lines))
    assert named(found) == [("collective.straggler", "0")]
    signal = found[-1]
    assert (signal.attributes["kind"], signal.attributes["enqueued"], signal.attributes["waiting_seq"]) == (
        "straggler",
        30,
        31,
    )
    assert "dump signal" in signal.evidence.excerpt
    assert signal.also


def test_several_ranks_at_one_earlier_place_took_another_way() -> None:
    lines = [line for rank in (1, 2, 4, 5) for line in (waits(rank), status(rank))]
    found = [
        signal
        for signal in reduced(job(answers(0), answers(3), *lines))
        if signal.name == "collective.straggler"
    ]
    assert [(signal.entity.name, signal.attributes["kind"]) for signal in found] == [
        ("0", "mismatch"),
        ("3", "mismatch"),
    ]


def test_two_operations_at_one_place() -> None:
    lines = [line for rank in (0, 1, 2) for line in (waits(rank), status(rank))]
    odd = [waits(3, op="BROADCAST"), status(3)]
    found = reduced(job(*lines, *odd))
    assert named(found) == [("collective.mismatch", "3")]
    assert "OpType=BROADCAST" in found[-1].evidence.excerpt
    assert all("OpType=ALLREDUCE" in evidence.excerpt for evidence in found[-1].also)


def test_two_sizes_in_one_reduction() -> None:
    lines = [line for rank in (0, 1, 2) for line in (waits(rank), status(rank))]
    found = reduced(job(*lines, waits(3, size=128), status(3)))
    assert named(found) == [("collective.mismatch", "3")]
    assert found[-1].attributes["sizes"] == "128x128"


def test_operations_of_unknown_groups_are_not_compared() -> None:
    assert [name for name, _ in named(reduced(job(waits(0), waits(1), waits(2, seq=7, op="SEND"))))] == []


def test_groups_have_their_own_sequence_numbers() -> None:
    pipe = [
        line
        for rank in (0, 1)
        for line in (waits(rank, seq=900, op="SEND"), status(rank, 900, 900, 899, group="5"))
    ]
    world = [line for rank in (2, 3) for line in (waits(rank), status(rank))]
    assert [name for name, _ in named(reduced(job(*pipe, *world))) if name == "collective.straggler"] == []


def test_the_wait_began_before_the_stamp() -> None:
    text = job(waits(0, ran=600_000, second=9), waits(1, ran=600_000, second=10))
    (start,) = [
        signal for signal in collective_signals(extract_at(text)) if signal.name == "collective.hang_start"
    ]
    assert start.stamp.at is not None
    assert start.stamp.at.strftime("%H:%M:%S") == "08:10:09"
    assert "less the time" in str(start.stamp.assumption)


def extract_at(text: str) -> tuple[Signal, ...]:
    dated = text.replace("[E412 ", "2026-04-12T").replace(".000000 ", ".000000Z ")
    lines = [f"2026-04-12T08:20:{line.split('08:20:')[1][:2]}Z {line}" for line in dated.split("\n")]
    doc = document("\n".join(lines), Kind.APPLICATION_LOG, "raw/dated.log")
    return extract([doc], [read(doc, NO_CONTEXT)], NO_CONTEXT)


def test_a_rank_that_came_late_to_the_same_operation() -> None:
    text = job(waits(0), waits(1), waits(2), waits(3, ran=540_000))
    found = [
        signal for signal in collective_signals(extract_at(text)) if signal.name == "collective.straggler"
    ]
    assert [(signal.entity.name, signal.attributes["late_s"]) for signal in found] == [("3", 60.02)]


CRASH = (
    "[rank2]: Traceback (most recent call last):\n"
    "[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
)


def test_the_rank_that_failed_before_anybody_waited() -> None:
    found = reduced(job(CRASH, *(waits(rank) for rank in (0, 1, 3))))
    crashed = [signal for signal in found if signal.name == "collective.crashed_rank"]
    assert [(signal.entity.name, signal.attributes["failure"]) for signal in crashed] == [
        ("2", "cuda.out_of_memory")
    ]


def test_an_error_of_the_gpu_is_hardware() -> None:
    text = job(
        "[rank2]: RuntimeError: CUDA error: uncorrectable ECC error encountered",
        *(waits(rank) for rank in (0, 1, 3)),
    )
    assert ("collective.hardware", "2") in named(reduced(text))


def test_a_failure_after_the_wait_is_no_root() -> None:
    assert "collective.crashed_rank" not in dict(
        named(reduced(job(*(waits(rank) for rank in (0, 1, 3)), CRASH)))
    )


@pytest.mark.parametrize(
    "text",
    [
        "[rank2]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.5]:1",
        "[rank2]: torch.distributed.DistBackendError: NCCL error in: ../ProcessGroupNCCL.cpp:1970, remote process exited",
        "[rank2]: BrokenPipeError: [Errno 32] Broken pipe",
    ],
)
def test_who_speaks_of_others_did_not_fail_first(text: str) -> None:
    assert "collective.crashed_rank" not in dict(
        named(reduced(job(text, *(waits(rank) for rank in (0, 1, 3)))))
    )


def test_what_the_launcher_calls_the_root_cause_makes_no_suspect() -> None:
    table = (
        "Root Cause (first observed failure):\n  rank      : 1 (local_rank: 1)\n  exitcode  : -6 (pid: 812)"
    )
    found = reduced(job(*(line for rank in (0, 1, 3) for line in (waits(rank), status(rank))), table))
    assert named(found) == [("collective.silent_rank", "2")]


def completes(host: str, peer: str, status_: int = 12) -> str:
    said = f"Got completion from peer {peer}<401> with error {status_}, opcode 0, len 0, vendor err 129"
    return f"{host}:9:9 [0] NCCL WARN NET/IB : {said}"


def test_the_peer_that_most_cannot_reach() -> None:
    text = job(completes("a", "10.0.0.9"), completes("b", "10.0.0.9"), completes("c", "10.0.0.4"))
    found = reduced(text)
    assert named(found) == [("collective.network", "10.0.0.9")]
    assert (found[0].attributes["votes"], found[0].attributes["peers_named"]) == (2, 2)


def test_flushed_work_does_not_vote() -> None:
    assert named(reduced(job(completes("a", "10.0.0.9", 5), completes("b", "10.0.0.9", 5)))) == []


def test_when_everybody_names_another_nobody_leads() -> None:
    assert named(reduced(job(completes("a", "10.0.0.1"), completes("b", "10.0.0.2")))) == []


def test_the_host_whose_own_port_failed() -> None:
    text = "a:9:9 [0] NCCL WARN NET/IB : mlx5_0:1 Got async event : port error"
    assert named(reduced(text)) == [("collective.network", "a")]


def test_the_task_that_a_barrier_waited_for() -> None:
    text = "DEADLINE_EXCEEDED: Barrier timed out. Id: x::0. Timed out task names: /job:jax_worker/replica:0/task:14"
    assert named(reduced(text)) == [("collective.silent_rank", "14")]


def test_the_path_of_a_suspect_is_told() -> None:
    init = INIT.format(host="gpu-9", gpu=3, rank=2, bus="cb000")
    (signal,) = [
        each
        for each in reduced(job(init, *(waits(rank) for rank in (0, 1, 3))))
        if each.name == "collective.silent_rank"
    ]
    assert str(signal.entity) == "rank 2"
    assert signal.entity.node == "gpu-9"
    assert (signal.attributes["local_gpu"], signal.attributes["bus_id"]) == ("3", "cb000")


def test_two_attempts_in_two_logs_are_two_runs() -> None:
    first = job(*(waits(rank, seq=31) for rank in (0, 1, 2)))
    second = job(*(waits(rank, seq=900) for rank in (0, 1, 2)))
    assert named(reduced(first, second)) == []


def pod(*ranks: int, hour: int = 8, seq: int = 31, day: str = "") -> str:
    """Return the log of a pod in which several ranks wait. day: printed before each line, as a log store does."""
    lines = "\n".join(
        f"{waits(rank, seq=seq)}\n{status(rank, seq, seq + 2, seq - 1)}" for rank in ranks
    ).splitlines()
    begin = f"{day}T{hour:02}:20:09Z " if day else ""
    return job(*(f"{begin}{line}" for line in lines)).replace("08:20", f"{hour:02}:20")


def test_pods_with_several_ranks_each_are_one_run() -> None:
    assert named(reduced(pod(0, 1), pod(3, 4), pod(5, 6))) == [("collective.silent_rank", "2")]


def test_two_attempts_of_two_pods_are_not_mixed() -> None:
    logs = [pod(0, 1), pod(0, 1, hour=11, seq=77), pod(2, 3), pod(2, 3, hour=11, seq=77)]
    assert named(reduced(*logs)) == []


def test_where_no_time_tells_attempts_apart_their_pods_stay_apart() -> None:
    texts = [pod(0, 1), pod(0, 1, seq=77), pod(2, 3), pod(2, 3, seq=77)]
    timeless = [re.sub(r"E412 [\d:.]+ ", "", text) for text in texts]
    assert not {name for name, _ in named(reduced(*timeless))} & {
        "collective.straggler",
        "collective.mismatch",
    }


def test_attempts_are_told_apart_by_their_time() -> None:
    logs = [
        pod(*ranks, hour=hour, seq=seq, day="2026-04-12")
        for ranks in ((0, 1), (3, 4), (5, 6))
        for hour, seq in ((8, 31), (11, 77))
    ]
    assert named(reduced(*logs)) == [("collective.silent_rank", "2")] * 2


def test_logs_of_single_ranks_are_one_run() -> None:
    texts = [job(waits(rank), status(rank)) for rank in (0, 1, 3)]
    assert named(reduced(*texts)) == [("collective.silent_rank", "2")]


def dump(rank: int, seq: int, op: str, enqueued: int, completed: int) -> str:
    return json.dumps(
        {
            "version": "2.4",
            "rank": rank,
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}},
            "pg_status": {
                "0": {
                    "last_enqueued_collective": enqueued,
                    "last_started_collective": enqueued,
                    "last_completed_collective": completed,
                }
            },
            "entries": [
                {
                    "collective_seq_id": seq,
                    "profiling_name": f"nccl:{op}",
                    "state": "started",
                    "process_group": ["0", "default_pg"],
                    "input_sizes": [[4, 128]],
                    "timeout_ms": 600000,
                }
            ],
        },
        indent=1,
    )


def test_flight_recorder_dumps_show_another_operation_and_a_missing_rank() -> None:
    texts = [dump(rank, 31, "all_reduce", 31, 30) for rank in (0, 1)] + [dump(2, 31, "broadcast", 31, 30)]
    found = reduced(*texts, kind=Kind.FLIGHT_RECORDER)
    assert named(found) == [("collective.mismatch", "2"), ("collective.silent_rank", "3")]


def test_flight_recorder_dumps_show_who_is_behind() -> None:
    texts = [dump(rank, 31, "all_reduce", 31, 30) for rank in (0, 1, 3)] + [dump(2, 30, "all_reduce", 30, 29)]
    found = reduced(*texts, kind=Kind.FLIGHT_RECORDER)
    assert named(found) == [("collective.straggler", "2")]


def test_the_order_of_the_logs_changes_nothing() -> None:
    texts = [job(waits(rank), status(rank)) for rank in (0, 1, 3)] + [answers(4)]
    assert named(reduced(*texts)) == named(reduced(*reversed(texts)))


def test_nothing_waits_nothing_is_suspected() -> None:
    assert reduced("step 12 loss 2.1") == ()
