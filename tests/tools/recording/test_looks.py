"""Formats are told the same whether every pattern is tried on every line or the engine looks first."""

from pathlib import Path

from firstfault.tools.recording.sniffing.formats import formats
from firstfault.tools.recording.sniffing.looks import MANY_CHARS, Looks

CASES = Path(__file__).parents[3] / "evals" / "cases"


def many() -> Looks:
    looks = Looks()
    assert list(looks.of(["x" * MANY_CHARS])) == []
    return looks


def test_the_examples_of_all_formats_look_the_same_both_ways() -> None:
    lines = [line for each in formats() for line in each.example.splitlines() if line.strip()]
    found = list(many().of(lines))
    assert found == list(Looks().of(lines))
    assert len({each.name for each in found}) > 40


def test_recorded_texts_look_the_same_both_ways() -> None:
    scanned = many()
    for file in sorted(CASES.glob("gpu-0[0-3]*/raw/*")):
        lines = [line for line in file.read_text("utf-8", "backslashreplace").split("\n")[:300] if line]
        assert list(scanned.of(lines)) == list(Looks().of(lines)), file
