"""What one rank writes: NCCL's start, steps of the trainer, and the end of the job as it sees it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from firstfault.evals.sim.headline.faults import Root, Story
from firstfault.evals.sim.headline.site import BUS_IDS, GPUS, STUCK_AT, TIMEOUT_S, Machine, Site

STEPS = 40
STEP_S = 14.0
SEQ = 48_127
"""The sequence number of the operation that all ranks wait in."""
NUMEL = 412_090_368
CUT_SHARE = 0.01
"""One log in a hundred ends in the middle of a line: the collector was killed with the node's other pods."""
LOST_SHARE = 0.002
"""Of one log in five hundred the end is missing altogether."""
_FRAMES = (
    "c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (libc10.so)",
    "c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::milliseconds>) + 0x221 (libtorch_cuda.so)",
    "c10d::ProcessGroupNCCL::watchdogHandler() + 0x1020 (libtorch_cuda.so)",
    "c10d::ProcessGroupNCCL::ncclCommWatchdog() + 0x15d (libtorch_cuda.so)",
    "<unknown function> + 0xdbbf4 (/usr/lib/x86_64-linux-gnu/libstdc++.so.6)",
    "<unknown function> + 0x94ac3 (/usr/lib/x86_64-linux-gnu/libc.so.6)",
    "clone + 0x43 (/usr/lib/x86_64-linux-gnu/libc.so.6)",
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line, and when its machine's clock said that it was written."""

    at: datetime
    text: str


def rank_lines(story: Story, rank: int) -> list[Line]:
    """Return the lines of one rank, oldest first; the last may be cut."""
    site = story.site
    chance = site.chance(f"rank {rank}")
    machine, until = site.machine_of(rank), STUCK_AT
    lines = [*_start(site, rank, machine), *_steps(rank, machine, until)]
    fate = chance.random()
    if story.is_silent(rank) or (fate < LOST_SHARE and rank != story.rank):
        return lines
    ending = list(_ending(story, rank, machine, chance))
    if fate < CUT_SHARE and rank != story.rank:
        ending = ending[: chance.randrange(3, len(ending))]
        ending[-1] = Line(ending[-1].at, ending[-1].text[: len(ending[-1].text) // 2])
    return lines + ending


def _start(site: Site, rank: int, machine: Machine) -> Iterator[Line]:
    local, at = rank % GPUS, machine.clock(STUCK_AT - timedelta(hours=9))
    pid = 2_000 + rank % GPUS
    who = f"{machine.name}:{pid}:{pid} [{local}] NCCL INFO"
    for text in (
        f"Bootstrap: Using bond0:{machine.address}<0>",
        f"NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [2]mlx5_4:1/RoCE [3]mlx5_5:1/RoCE; OOB bond0:{machine.address}<0>",
        (
            f"ncclCommInitRankConfig comm 0x55d0c0{rank:06x} rank {rank} nranks {site.ranks} cudaDev {local} nvmlDev {local} "
            f"busId {BUS_IDS[local]}000 commId 0x9f2e6c1d4b3a5870 - Init COMPLETE"
        ),
    ):
        yield Line(at, f"{who} {text}")


def _steps(rank: int, machine: Machine, until: datetime) -> Iterator[Line]:
    for step in range(STEPS):
        at = machine.clock(until - timedelta(seconds=STEP_S * (STEPS - step)))
        number = 118_200 + step
        yield Line(
            at,
            f"[rank{rank}]: {at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} INFO trainer step {number} "
            f"loss {1.9 - step / 9000:.4f} grad_norm 0.3{step:02d} tokens/s/gpu 41{step % 10}.{rank % 10}",
        )


def _ending(story: Story, rank: int, machine: Machine, chance: Random) -> Iterator[Line]:
    if story.root is Root.OUT_OF_MEMORY and rank == story.rank:
        yield from _out_of_memory(rank, machine)
        return
    entered = STUCK_AT + timedelta(seconds=chance.uniform(0, 1.5))
    ran_ms = int(TIMEOUT_S * 1000) + chance.randrange(1, 90)
    at = machine.clock(entered + timedelta(milliseconds=ran_ms))
    if story.root is Root.SWITCH and rank // GPUS in story.machines:
        yield from _unreachable(story, rank, machine, chance)
    if story.root is Root.STRAGGLER and rank == story.rank:
        yield Line(at, f"{_head(rank, at, 1682)} {_group(rank)} {_DUMP_SIGNAL.format(seq=SEQ - 1)}")
        return
    yield from _timed_out(rank, at, ran_ms)


def _head(rank: int, at: datetime, line: int) -> str:
    return f"[rank{rank}]:[E{at:%m%d %H:%M:%S.%f}000 ProcessGroupNCCL.cpp:{line}]"


def _group(rank: int) -> str:
    return f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]"


_DUMP_SIGNAL = (
    "Received a dump signal due to a collective timeout from rank 0 and we will try our best to dump the debug info. "
    "Last enqueued NCCL work: {seq}, last completed NCCL work: {seq}.This is most likely caused by incorrect usages of "
    "collectives, e.g., wrong sizes used across ranks, the order of collectives is not same for all ranks or the "
    "scheduled collective, for some reason, didn't run."
)


def _timed_out(rank: int, at: datetime, ran_ms: int) -> Iterator[Line]:
    caught = (
        f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={SEQ}, OpType=ALLREDUCE, "
        f"NumelIn={NUMEL}, NumelOut={NUMEL}, Timeout(ms)={int(TIMEOUT_S * 1000)}) ran for {ran_ms} milliseconds before "
        "timing out."
    )
    later = at + timedelta(seconds=1)
    group = _group(rank)
    for when, text in (
        (at, f"{_head(rank, at, 632)} {caught}"),
        (
            at,
            (
                f"{_head(rank, at, 2268)} {group}  failure detected by watchdog at work sequence id: {SEQ} PG status: last "
                f"enqueued work: {SEQ + 2}, last completed work: {SEQ - 1}"
            ),
        ),
        (
            at,
            (
                f"{_head(rank, at, 670)} Stack trace of the failed collective not found, potentially because FlightRecorder is "
                "disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value."
            ),
        ),
        (later, f"{_head(rank, later, 2103)} {group} First PG on this rank to signal dumping."),
        (
            later,
            (
                f"{_head(rank, later, 684)} [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous "
                "nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data."
            ),
        ),
        (
            later,
            f"{_head(rank, later, 698)} [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        ),
        (
            later,
            f"{_head(rank, later, 1895)} {group} Process group watchdog thread terminated with exception: {caught}",
        ),
        (
            later,
            (
                "Exception raised from checkTimeout at /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:635 (most "
                "recent call first):"
            ),
        ),
        *((later, f"frame #{number}: {frame}") for number, frame in enumerate(_FRAMES)),
        (later, "terminate called after throwing an instance of 'c10::DistBackendError'"),
        (
            later,
            f"  what():  {group} Process group watchdog thread terminated with exception: {caught}",
        ),
        (later, "Fatal Python error: Aborted"),
    ):
        yield Line(when, text)


def _unreachable(story: Story, rank: int, machine: Machine, chance: Random) -> Iterator[Line]:
    """Yield what a rank behind the dead switch says: its own sends fail, to peers all over the job."""
    site = story.site
    peer = site.all[(rank // GPUS + 1 + chance.randrange(site.machines - 1)) % site.machines]
    at = machine.clock(STUCK_AT + timedelta(seconds=chance.uniform(18, 24)))
    yield Line(
        at,
        f"[{at:%Y-%m-%d %H:%M:%S}] {machine.name}:{2000 + rank % GPUS}:{9000 + rank % GPUS} [{rank % GPUS}] "
        f"transport/net_ib.cc:2111 NCCL WARN NET/IB: Got completion from peer {peer.address}<{40000 + rank % 9000}> with "
        "status=12 opcode=0 len=0 vendor err 129 (Send) hca mlx5_0",
    )


def _out_of_memory(rank: int, machine: Machine) -> Iterator[Line]:
    at = machine.clock(STUCK_AT - timedelta(seconds=2))
    for text in (
        f"[rank{rank}]: {at:%Y-%m-%d %H:%M:%S},000 ERROR trainer step failed",
        f"[rank{rank}]: Traceback (most recent call last):",
        f'[rank{rank}]:   File "/app/train/loop.py", line 412, in step',
        f"[rank{rank}]:     logits = self.head(hidden)",
        (
            f"[rank{rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.34 GiB. GPU {rank % GPUS} has a "
            "total capacity of 79.11 GiB of which 1.02 GiB is free. Process 2000 has 78.08 GiB memory in use."
        ),
    ):
        yield Line(at, text)
