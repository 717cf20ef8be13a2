from datetime import timedelta

import pytest

from firstfault.tools.entities import EntityKind
from firstfault.tools.extract.metrics import metric_signals, named
from firstfault.tools.kinds import Family
from firstfault.tools.readings import Series
from firstfault.tools.signals import Signal
from tests.tools.extract.series import START, series


def only(*given: Series) -> Signal:
    found = list(metric_signals(given))
    assert len(found) == 1, [signal.name for signal in found]
    return found[0]


def names(*given: Series) -> list[str]:
    return [signal.name for signal in metric_signals(given)]


def test_a_latched_code_says_which_came_last_and_nothing_about_when() -> None:
    signal = only(series("DCGM_FI_DEV_XID_ERRORS", [79, 79, 79], gpu="3", Hostname="gpu-7"))
    assert (signal.name, signal.stamp.at, signal.family) == ("xid.79", None, Family.METRICS)
    assert signal.attributes["latched"] is True
    assert signal.attributes["since_start"] is True


def test_a_latched_code_that_appears_inside_the_series_has_a_time() -> None:
    signal = only(series("DCGM_FI_DEV_XID_ERRORS", [0, 0, 48, 48], gpu="3", hostname="gpu-7"))
    assert signal.stamp.at == START + timedelta(minutes=2)
    assert signal.stamp.uncertainty_s == 60


def test_a_code_of_zero_is_no_xid() -> None:
    assert names(series("DCGM_FI_DEV_XID_ERRORS", [0, 0])) == []


def test_counted_codes_name_themselves() -> None:
    assert names(series("DCGM_EXP_XID_ERRORS_COUNT", [0, 1, 0], xid="31", gpu="0")) == ["xid.31"]


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ({"pci_bus_id": "00000000:18:00.0", "Hostname": "gpu-7"}, "gpu 00000000:18:00.0 on gpu-7"),
        ({"UUID": "GPU-1", "hostname": "gpu-7"}, "gpu GPU-1 on gpu-7"),
        ({"gpu": "3", "instance": "10.0.0.7:9400"}, "gpu 3 on 10.0.0.7"),
        ({"node": "gpu-7"}, "node gpu-7"),
    ],
)
def test_the_gpu_is_named_by_whatever_labels_there_are(labels: dict[str, str], text: str) -> None:
    assert str(only(series("DCGM_FI_DEV_ROW_REMAP_FAILURE", [0, 1], **labels)).entity) == text


def test_power_cap_is_normal_and_a_hardware_brake_is_not() -> None:
    assert names(series("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", [0x4, 0x5, 0x1])) == []
    assert names(series("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", [0x4, 0x84])) == ["dcgm.power_brake"]


@pytest.mark.parametrize(
    ("values", "growth"),
    [([5, 5, 7], 2), ([5, 9, 1, 2], 6), ([5, 5, 5], None), ([9], None), ([9, 0], None)],
)
def test_counters_survive_resets(values: list[float], growth: float | None) -> None:
    found = list(
        metric_signals([series("node_infiniband_link_downed_total", values, device="mlx5_0", port="1")])
    )
    assert [signal.attributes["value"] for signal in found] == ([] if growth is None else [growth])


def test_a_total_above_zero_is_history_until_it_grows() -> None:
    assert names(series("DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", [12, 12, 12])) == []


def test_a_share_needs_its_other_half() -> None:
    free = series(
        "node_filesystem_avail_bytes", [50.0, 1.0], mountpoint="/", fstype="ext4", instance="n1:9100"
    )
    size = series(
        "node_filesystem_size_bytes", [100.0, 100.0], mountpoint="/", fstype="ext4", instance="n1:9100"
    )
    assert names(free) == []
    signal = only(free, size)
    assert (signal.name, signal.attributes["value"], str(signal.entity)) == (
        "node.filesystem_full",
        0.01,
        "node n1",
    )
    assert signal.stamp.at == START + timedelta(minutes=1)


def test_the_share_of_another_machine_is_not_taken() -> None:
    free = series("node_memory_MemAvailable_bytes", [1.0], instance="n1:9100")
    assert names(free, series("node_memory_MemTotal_bytes", [1000.0], instance="n2:9100")) == []


def test_filesystems_that_are_full_by_design_are_left_out() -> None:
    labels = {"mountpoint": "/snap/x", "fstype": "squashfs", "instance": "n1:9100"}
    assert (
        names(
            series("node_filesystem_avail_bytes", [0.0], **labels),
            series("node_filesystem_size_bytes", [9.0], **labels),
        )
        == []
    )


def test_what_recovered_by_the_end_is_not_reported_as_lasting() -> None:
    assert (
        names(series("kube_node_status_condition", [0, 1], condition="Ready", status="true", node="n1")) == []
    )
    assert names(
        series("kube_node_status_condition", [1, 0], condition="Ready", status="true", node="n1")
    ) == ["kube.node.not_ready"]


def test_a_boot_is_a_step_and_not_a_jitter() -> None:
    assert names(series("node_boot_time_seconds", [1000.0, 1001.0, 999.5], instance="n1:9100")) == []
    assert names(series("node_boot_time_seconds", [1000.0, 1001.0, 9000.0], instance="n1:9100")) == [
        "node.rebooted"
    ]


@pytest.mark.parametrize(
    ("query", "values", "name"),
    [
        ("increase(node_vmstat_oom_kill[5m])", [0.0, 2.0], "node.oom_kills"),
        ("rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[1m])", [0.0, 1.0], "dcgm.pcie_replay_rate"),
        ("max by (gpu) (DCGM_FI_DEV_ROW_REMAP_PENDING)", [1.0], "dcgm.row_remap_pending"),
        ('sum(rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER{gpu="1"}[1m])) by (node)', [1.0], "dcgm.pcie_replay_rate"),
    ],
)
def test_queries_that_drop_the_name_are_understood(query: str, values: list[float], name: str) -> None:
    assert names(series("", values, query, node="n1")) == [name]


def test_a_name_beats_the_query() -> None:
    assert named(series("up", [1], "rate(other[5m])")) == ("up", "value")


def test_a_series_without_points_is_unknown() -> None:
    assert names(series("DCGM_FI_DEV_ROW_REMAP_FAILURE", [])) == []


def test_ports_are_named_by_adapter_and_number() -> None:
    entity = only(
        series("node_infiniband_state_id", [1], device="mlx5_2", port="1", instance="n1:9100")
    ).entity
    assert (entity.kind, str(entity)) == (EntityKind.PORT, "port mlx5_2/1 on n1")


def test_the_trap_of_a_metric_goes_with_the_signal() -> None:
    assert "exporter restarts" in str(only(series("DCGM_FI_DEV_XID_ERRORS", [79])).attributes["trap"])
