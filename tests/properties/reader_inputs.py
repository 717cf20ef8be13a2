"""Inputs for readers: what tools print, cut and mixed as people paste it, and what an attacker would send."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Reading
from firstfault.tools.recording.sniffing import sniff
from firstfault.tools.recording.sniffing.formats import formats
from firstfault.tools.stamps import stamper
from tests.documents import document

SAMPLES = Path(__file__).parent.parent / "tools" / "readers" / "samples"
PATHS = ("raw/1.txt", "raw/notes.yaml", "raw/pods.json", "raw/dmesg.log")
KINDS = tuple(Kind)

HOSTILE = (
    "a", " ", "\t", "[", "{", '"', ":", "\n", "-", ",", "k=v ", "GPU ", "1", "|", "\\", "(", "word ", "word: ",
    "5m (x", "x" * 50 + "\n", "a:\n", "- ", '{"a":', '["a",', '{"', "[rank1]:", "\x1b[1m", "=", "/", "1% ", "# ",
    "_", "<1>", "\x00", "\r", " a\n", "Name: x\n", "NAME  READY\n", "Warning  BackOff  5m  kubelet  x\n",
    "[1.000001] x\n", "2026-01-01T00:00:00Z x\n", "SwitchName=a Nodes=n[1-9]\n", "| Link 1 | a | 1 |\n",
    "commit 0123456789012345678901234567890123456789\n", "Link 1: x: 1\n", "Start-Date: 2026-01-01  00:00:00\n",
)  # fmt: skip
"""Texts that are repeated to find readers whose time grows faster than their input."""


def fragments() -> Sequence[str]:
    """Return lines that tools print: every example, and every line of the samples."""
    lines = [held.example for held in formats()]
    for file in sorted(SAMPLES.glob("*.txt")):
        lines += file.read_text(encoding="utf-8").split("\n")
    return sorted(set(lines))


def check(held: Document, context: ReadContext) -> Reading:
    """Return the reading of `held`, after checking the laws that every reading holds to."""
    reading = read(held, context)
    assert not [problem for problem in reading.problems if "could not be parsed (" in problem], (
        reading.problems
    )
    lines = held.lines
    for part in (*reading.events, *reading.series, *reading.facts, *reading.changes, *reading.notes):
        evidence = part.cite()
        assert evidence.excerpt in "\n".join(lines[evidence.line_start - 1 : evidence.line_end])
    for found in reading.objects:
        for path in found.lines:
            evidence = found.cite(path)
            assert evidence.excerpt in lines[evidence.line_start - 1]
            found.get(path)
    clock = stamper(held, context)
    for number, line in enumerate(lines, start=1):
        assert clock.stamp(number, line).position == number
    return reading


def from_bytes(data: bytes) -> Document:
    """Return a document whose kind and path are chosen by the first bytes of `data`, for coverage-guided fuzzing."""
    kind = KINDS[data[0] % len(KINDS)] if data else Kind.PLAIN
    path = PATHS[data[1] % len(PATHS)] if len(data) > 1 else PATHS[0]
    return document(data[2:], kind, path)


def one_input(data: bytes) -> None:
    """Read one input in every way; raises when a law is broken."""
    check(from_bytes(data[:_LONGEST]), _FUZZED)
    sniff("raw/1.txt", MemoryBody(data))


_LONGEST = 2_000
_FUZZED = ReadContext(opened_at=datetime(2026, 7, 1, tzinfo=UTC), zone="Europe/London")
