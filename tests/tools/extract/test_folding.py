import pytest

from firstfault.tools.extract import folding
from firstfault.tools.extract.clocks import clock_of
from firstfault.tools.kinds import Kind
from tests.tools.extract.reading import only, signals

CONTAINED = "NVRM: Xid (PCI:0000:3b:00): 95, pid=7, name=a, Uncontained: SM (0x1)"


def test_repeats_of_a_burst_are_one_signal() -> None:
    text = "\n".join(f"[  {second}.500000] {CONTAINED}" for second in range(100, 110))
    signal = only(text, "xid.95")
    assert (signal.count, signal.stamp.uptime_s) == (10, 100.5)
    assert signal.last is not None
    assert signal.last.uptime_s == 109.5
    assert [evidence.line_start for evidence in signal.all_evidence] == [1, 10]


def test_a_burst_ends_after_three_quiet_minutes() -> None:
    text = "\n".join(f"[  {second}00000] {CONTAINED}" for second in ("100.5", "200.5", "381.0", "382.0"))
    assert [(signal.count, signal.stamp.uptime_s) for signal in signals(text)] == [(2, 100.5), (2, 381.0)]


def test_lines_without_a_time_fold_by_what_they_say() -> None:
    warn = "gpu-1:99:121 [0] NCCL WARN NET/IB : Got async event : port error"
    assert only("\n".join([warn] * 50), "nccl.ib_async_event", Kind.APPLICATION_LOG).count == 50


def test_different_things_are_not_folded() -> None:
    text = "\n".join(CONTAINED.replace("3b", f"{bus:02x}") for bus in range(8))
    assert len(signals(text)) == 8


def test_notes_and_objects_are_not_folded() -> None:
    text = "the pod was OOMKilled\nanother pod was OOMKilled"
    found = [s for s in signals(text, Kind.OPERATOR_NOTES) if s.name == "kube.pod.oom_killed"]
    assert [signal.evidence.line_start for signal in found] == [1, 2]


def test_a_storm_of_different_signals_stays_bounded_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "MOST_PER_NAME", 500)
    told = signals("\n".join(f"task worker{n}:{n} blocked for more than 120 seconds" for n in range(800)))
    found = [signal for signal in told if signal.name == "kernel.hung_task"]
    assert len(found) == 500
    assert sum(signal.count for signal in found) == 800
    (rest,) = [signal for signal in told if signal.name == folding.OVERFLOW]
    assert (rest.count, rest.evidence.line_start) == (300, 501)


def test_ten_thousand_ranks_that_say_one_thing_each_are_kept_apart_in_one_stream() -> None:
    ranks = 10_000
    assert ranks < folding.MOST_PER_NAME
    assert 4 * ranks < folding.MOST, "a rank that ends says several things"


def test_a_storm_of_different_names_stays_bounded_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "MOST", 50)
    found = signals("\n".join(f"DCGM_FR_X{n}" for n in range(80)))
    assert len(found) == 51
    (rest,) = [signal for signal in found if signal.name == folding.OVERFLOW]
    assert rest.count == 30


def test_lines_that_differ_in_their_time_only_are_parsed_once_and_counted_all() -> None:
    lines = [f"[  {second}.{micro:06}] {CONTAINED}" for second in range(100, 160) for micro in (1, 2)]
    assert only("\n".join(lines), "xid.95").count == 120


@pytest.mark.parametrize(
    ("earlier", "later", "seconds"),
    [
        ("[   12.500000] x", "[   14.000000] x", 1.5),
        ("Jul  1 10:11:12 h a: x", "Jul  1 10:12:12 h a: x", 60.0),
        ("2026-07-01T10:11:12Z x", "2026-07-01T10:11:42.5Z x", 30.0),
        ("[Wed Jul 31 23:14:18 2024] x", "[Thu Aug  1 00:14:18 2024] x", 3600.0),
        ("E0701 10:11:12.5 1 a.go:1] x", "W0701 10:11:13.5 1 a.go:1] x", 1.0),
    ],
)
def test_clocks_of_one_document_are_compared(earlier: str, later: str, seconds: float) -> None:
    one, two = clock_of(earlier), clock_of(later)
    assert one is not None
    assert two is not None
    assert one[0] == two[0]
    assert two[1] - one[1] == pytest.approx(seconds)


def test_a_line_without_a_clock_has_none() -> None:
    assert clock_of("iteration 12 | loss 2.0") is None
