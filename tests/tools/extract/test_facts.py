from collections.abc import Mapping

import pytest

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.extract.facts import fact_signals, number_of
from firstfault.tools.kinds import Family, Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Fact
from tests.documents import document

DOCUMENT = document("\n" * 40, Kind.NVIDIA_SMI, node="gpu-7")
SHARED_MEMORY = "/dev/" + "shm"
GPU = EntityRef(kind=EntityKind.GPU, name="0000:3b:00.0", node="gpu-7")


def fact(
    name: str,
    value: str | float | bool,
    line: int = 1,
    entity: EntityRef | None = GPU,
    labels: Mapping[str, str] | None = None,
) -> Fact:
    return Fact(name=name, value=value, document=DOCUMENT, line=line, entity=entity, labels=labels or {})


def names(*given: Fact) -> list[str]:
    return [signal.name for signal in fact_signals(given)]


@pytest.mark.parametrize(
    ("name", "value", "signal"),
    [
        ("smi.remapped_rows.pending", "Yes", "smi.row_remap_pending"),
        ("smi.remapped_rows.pending", "No", None),
        ("smi.query.remapped_rows_failure", 1, "smi.row_remap_failed"),
        ("smi.query.remapped_rows_failure", 0, None),
        ("smi.ecc_errors.volatile.dram_uncorrectable", 2, "smi.ecc_uncorrectable"),
        ("smi.ecc_errors.volatile.dram_correctable", 9, None),
        ("smi.clocks_event_reasons.hw_power_brake_slowdown", "Active", "smi.power_brake"),
        ("smi.clocks_throttle_reasons.hw_slowdown", "Not Active", None),
        ("smi.fabric.state", "In Progress", "smi.fabric_in_progress"),
        ("smi.fabric.state", "Completed", None),
        ("smi.fabric.status", "Success", None),
        ("smi.fabric.status", "Error", "smi.fabric_failed"),
        ("ib.port.state", "Active", "ib.port_active"),
        ("ib.port.state", "PORT_DOWN", "ib.port_down"),
        ("ib.port.physical_state", "Polling", "ib.port_polling"),
        ("ulimit.max_locked_memory_kib", 64, "ulimit.memlock_low"),
        ("ulimit.max_locked_memory_kib", "unlimited", None),
        ("chrony.system_time_s", -3.2, "time.clock_offset"),
        ("chrony.leap_status", "Normal", None),
        ("chrony.leap_status", "Not synchronised", "time.clock_unsynchronized"),
        ("systemd.active", "failed (Result: exit-code)", "systemd.unit_failed"),
        ("ps.state", "D", "ps.uninterruptible"),
        ("ps.state", "Ssl", None),
    ],
)
def test_values_that_mean_something(name: str, value: str | float, signal: str | None) -> None:
    assert names(fact(name, value)) == ([] if signal is None else [signal])


def test_power_cap_is_its_own_signal_and_says_that_it_is_normal() -> None:
    (signal,) = fact_signals([fact("smi.clocks_event_reasons.sw_power_cap", "Active")])
    assert "normal" in str(signal.attributes["meaning"])


def test_a_link_is_compared_with_what_the_same_gpu_can() -> None:
    now, most = "smi.pci.gpu_link_info.link_width.current", "smi.pci.gpu_link_info.link_width.max"
    other = EntityRef(kind=EntityKind.GPU, name="0000:5d:00.0", node="gpu-7")
    assert names(fact(now, "8x", 5), fact(most, "16x", 4)) == ["smi.pcie_width_low"]
    assert names(fact(now, "16x", 5), fact(most, "16x", 4)) == []
    assert names(fact(now, "8x", 5), fact(most, "16x", 4, other)) == []


def test_a_full_mount_is_told_from_a_full_image() -> None:
    assert names(fact("df.use_percent", 100, labels={"mount": "/", "source": "/dev/sda1"})) == [
        "df.full",
        "df.nearly_full",
    ]
    assert names(fact("df.use_percent", 100, labels={"mount": "/snap/core/1", "source": "/dev/loop3"})) == []
    assert names(fact("df.use_percent", 100, labels={"mount": SHARED_MEMORY, "source": "shm"})) == [
        "df.shm_full"
    ]


def test_the_odd_port_of_a_machine() -> None:
    ports = [EntityRef(kind=EntityKind.PORT, name=f"mlx5_{n}/1") for n in range(4)]
    rates = [fact("ib.port.rate", 100 if n == 2 else 400, n + 1, port) for n, port in enumerate(ports)]
    assert [signal.entity.name for signal in fact_signals(rates)] == ["mlx5_2/1"]
    assert names(*rates[1:3]) == []


def test_a_fact_of_one_boot_counts_for_its_own_family() -> None:
    (signal,) = fact_signals([fact("smi.remapped_rows.pending", "Yes")])
    assert (signal.family, signal.entity, signal.evidence.line_start) == (Family.DEVICE, GPU, 1)


@pytest.mark.parametrize(
    ("value", "number"),
    [("16x", 16.0), ("x8", 8.0), ("32GT/s", 32.0), ("Yes", None), (True, 1.0), ("-0.5 s", -0.5)],
)
def test_numbers_as_tools_print_them(value: str | bool, number: float | None) -> None:
    assert number_of(value) == number


SMI_Q = """\
==============NVSMI LOG==============

Driver Version                            : 550.54.15
Attached GPUs                             : 1
GPU 00000000:3B:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    PCI
        GPU Link Info
            PCIe Generation
                Max                       : 5
                Current                   : 5
            Link Width
                Max                       : 16x
                Current                   : 8x
    Clocks Event Reasons
        SW Power Cap                      : Not Active
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Not Active
            HW Power Brake Slowdown       : Active
    ECC Errors
        Volatile
            SRAM Correctable              : 0
            DRAM Uncorrectable            : 1
    Remapped Rows
        Correctable Error                 : 0
        Uncorrectable Error               : 1
        Pending                           : Yes
        Remapping Failure Occurred        : No
    Temperature
        GPU Current Temp                  : 88 C
        GPU Slowdown Temp                 : 87 C
"""


def test_what_nvidia_smi_prints_is_read_and_judged() -> None:
    facts = read(document(SMI_Q, Kind.NVIDIA_SMI, node="gpu-7"), NO_CONTEXT).facts
    assert set(names(*facts)) == {
        "smi.pcie_width_low",
        "smi.hw_slowdown",
        "smi.power_brake",
        "smi.ecc_uncorrectable",
        "smi.row_remapped",
        "smi.row_remap_pending",
        "smi.temperature_limit",
    }


IBSTAT = """\
CA 'mlx5_0'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Down
		Physical state: Polling
		Rate: 10
"""


def test_what_ibstat_prints_is_read_and_judged() -> None:
    facts = read(document(IBSTAT, Kind.IBSTAT, node="gpu-7"), NO_CONTEXT).facts
    assert set(names(*facts)) == {"ib.port_down", "ib.port_polling"}
