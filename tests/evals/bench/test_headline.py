"""The benchmark of the headline judges the answer, and says what it took beside doing less with the same files."""

from pathlib import Path

from firstfault.evals.bench import headline
from firstfault.evals.bench.measure import Measured


def measured(name: str, cpu_s: float) -> Measured:
    return Measured(name=name, megabytes=96.0, cpu_s=cpu_s, peak_mb=800.0)


def test_the_ratio_is_to_each_of_the_others() -> None:
    told = headline.report(
        [measured("headline", 60.0), measured("  plain reading", 0.5), measured("none", 0.0)]
    )
    assert "120 times the processor time of `plain reading`" in told
    assert "none`" not in told
    assert "aim: 60 s and 2000 MB" in told


def test_every_byte_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.log").write_bytes(b"x" * 2_000_000)
    (tmp_path / "two.log").write_bytes(b"x" * 1_000_000)
    assert headline.read(tmp_path) == "3 MB"
