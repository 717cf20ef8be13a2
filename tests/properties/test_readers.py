"""No input makes a reader raise, cite what is not there, or take time that grows faster than the input."""

import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.context import NO_CONTEXT, ReadContext
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.recording.encodings import is_binary
from firstfault.tools.recording.sniffing import sniff
from firstfault.tools.stamps import stamper
from tests.documents import document
from tests.properties.reader_inputs import HOSTILE, KINDS, PATHS, check, fragments

CONTEXTS = (
    NO_CONTEXT,
    ReadContext(opened_at=datetime(2026, 7, 1, tzinfo=UTC), zone="Europe/London"),
    ReadContext(as_of=datetime(2025, 5, 1, tzinfo=UTC)),
)
LINES = st.one_of(
    st.sampled_from(fragments()),
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.tuples(st.sampled_from(fragments()), st.integers(0, 60)).map(lambda cut: cut[0][cut[1] :]),
)
TEXTS = st.tuples(st.lists(LINES, max_size=14), st.sampled_from(["\n", "\r\n", "", "\n  ", " "])).map(
    lambda parts: parts[1].join(parts[0])
)


@settings(max_examples=600, deadline=None)
@given(TEXTS, st.sampled_from(KINDS), st.sampled_from(PATHS), st.sampled_from(CONTEXTS))
def test_whatever_is_pasted_every_reader_cites_what_is_there(
    text: str, kind: Kind, path: str, context: ReadContext
) -> None:
    check(document(text, kind, path), context)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(KINDS))
def test_bytes_of_any_sort_are_read_or_refused(data: bytes, kind: Kind) -> None:
    is_binary(data)
    sniff("raw/1.txt", MemoryBody(data))
    check(document(data, kind), NO_CONTEXT)


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.sampled_from(KINDS))
def test_reading_twice_gives_the_same(text: str, kind: Kind) -> None:
    held = document(text, kind)
    assert read(held, NO_CONTEXT) == read(held, NO_CONTEXT)


def cpu_s(work: Callable[[], object], rounds: int = 1) -> float:
    """Return the least CPU time of `rounds` runs: other processes make a run slower, never faster."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def is_linear(work: Callable[[str], object], once: str) -> bool:
    """Return whether twice the input takes at most 2.5 times as long; what takes no time at all is not looked at."""
    if cpu_s(lambda: work(once)) < 0.01:
        return True
    for rounds in (1, 3):
        small_s, large_s = cpu_s(lambda: work(once), rounds), cpu_s(lambda: work(once + once), rounds)
        if large_s <= 2.5 * small_s + 0.02:
            return True
    return False


def stamped(text: str) -> None:
    held = document(text, Kind.KERNEL_LOG)
    clock = stamper(held, CONTEXTS[1])
    for number, line in enumerate(held.lines, start=1):
        clock.stamp(number, line)


WAYS: dict[str, Callable[[str], object]] = {
    **{f"read {kind}": lambda text, kind=kind: read(document(text, kind), CONTEXTS[1]) for kind in KINDS},
    "read yaml notes": lambda text: read(document(text, Kind.OPERATOR_NOTES, "raw/notes.yaml"), CONTEXTS[1]),
    "stamp": stamped,
    "sniff": lambda text: sniff("raw/1.txt", MemoryBody(text.encode())),
}


@pytest.mark.parametrize("way", WAYS)
def test_twice_the_input_takes_at_most_two_and_a_half_times_as_long(way: str) -> None:
    slow = [seed for seed in HOSTILE if not is_linear(WAYS[way], seed * (4_000 // len(seed)))]
    assert slow == []


@pytest.mark.timeout(2_400)  # in full it takes half an hour; its own bound is below
def test_a_coverage_guided_fuzzer_finds_nothing_in_a_bounded_time(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    runs = 100_000 if request.config.getoption("--attacks") else 800
    for index, line in enumerate(fragments()):
        (tmp_path / str(index)).write_bytes(
            bytes((index % 256, index // 7 % 256)) + f"{line}\n{line}\n".encode()
        )
    command = [
        sys.executable,
        "-m",
        "tests.properties.fuzz_readers",
        f"-runs={runs}",
        "-max_len=1500",
        "-seed=1",
    ]
    done = subprocess.run(
        [*command, str(tmp_path)], capture_output=True, text=True, timeout=100 + runs / 50, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
