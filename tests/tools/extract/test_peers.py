import pytest

from firstfault.tools.extract.labels import job_of
from firstfault.tools.extract.metrics import metric_signals
from firstfault.tools.extract.numbers import outliers
from firstfault.tools.readings import Series
from tests.tools.extract.series import series


def job(
    slow: float, minutes: int = 8, size: int = 8, metric: str = "DCGM_FI_DEV_SM_CLOCK", dip: int | None = None
) -> list[Series]:
    """Return the clocks of a job; GPU 5 is slow all the time, or for `dip` minutes."""
    dip = minutes if dip is None else dip
    return [
        series(
            metric,
            [slow if gpu == 5 and minute < dip else 1755.0 - gpu % 3 for minute in range(minutes)],
            gpu=str(gpu),
            Hostname="gpu-7",
            pod="llm-worker-0",
            namespace="train",
        )
        for gpu in range(size)
    ]


def names(given: list[Series]) -> list[str]:
    return [f"{signal.name} {signal.entity.name}" for signal in metric_signals(given)]


def test_a_gpu_unlike_its_peers_for_minutes_is_found() -> None:
    (signal,) = metric_signals(job(1200.0))
    assert (signal.name, signal.entity.name) == ("dcgm.slower_clock_than_peers", "5")
    assert (signal.attributes["peers"], signal.attributes["minutes"], signal.attributes["value"]) == (
        8,
        7.0,
        1200.0,
    )


@pytest.mark.parametrize(
    "given",
    [job(1740.0), job(1200.0, dip=2), job(1200.0, size=3), job(1200.0, minutes=1), job(1900.0)],
    ids=["a little slower", "for a moment", "too few peers", "an instant", "faster"],
)
def test_what_is_no_outlier(given: list[Series]) -> None:
    assert [name for name in names(given) if "slower" in name] == []


def test_machines_of_another_job_are_no_peers() -> None:
    idle = [
        series("DCGM_FI_DEV_SM_CLOCK", [345.0] * 8, gpu=str(gpu), pod="idle-0", namespace="dev")
        for gpu in range(2)
    ]
    assert names([*job(1755.0), *idle]) == []


def test_a_fleet_in_which_all_differ_has_no_outlier() -> None:
    spread = [series("DCGM_FI_DEV_SM_CLOCK", [1000.0 + 100 * gpu] * 8, gpu=str(gpu)) for gpu in range(8)]
    assert names(spread) == []


def test_counters_are_compared_by_their_rate() -> None:
    ports = [
        series(
            "node_infiniband_port_transmit_wait_total",
            [step * (90_000 if port == 2 else 10_000) for step in range(8)],
            device=f"mlx5_{port}",
            port="1",
            node="n1",
        )
        for port in range(6)
    ]
    assert names(ports) == ["ib.transmit_wait mlx5_2/1"]


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ({"pod": "llm-worker-12", "namespace": "train"}, "train/llm"),
        ({"pod": "web-7c9f8b6d54-x2kqp", "namespace": "a"}, "a/web"),
        ({"job_name": "run-9", "pod": "x"}, "run-9"),
        ({}, ""),
    ],
)
def test_the_job_of_a_series(labels: dict[str, str], name: str) -> None:
    assert job_of(labels) == name


def test_outliers_need_a_step_and_a_distance() -> None:
    assert outliers([10, 10, 10, 10, 1], least_step=3, side=-1) == [4]
    assert outliers([10, 10, 10, 10, 1], least_step=20, side=-1) == []
    assert outliers([10, 10, 10, 10, 1], least_step=3, side=1) == []
    assert outliers([1, 5, 9, 13], least_step=3, side=-1) == []
