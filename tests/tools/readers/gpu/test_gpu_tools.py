"""What GPU tools print, as facts about the GPU that the line is about."""

import pytest

from firstfault.tools.kinds import Kind
from tests.tools.readers.facts import about, facts_of, values

TABLE = """Fri Oct 25 11:35:11 2024
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 535.129.03             Driver Version: 535.129.03   CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |
|                                         |                      |               MIG M. |
|=========================================+======================+======================|
|   0  NVIDIA H100 80GB HBM3          On  | 00000000:1A:00.0 Off |                    2 |
| N/A   33C    P0              71W / 700W |      4MiB / 81559MiB |      0%      Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+
|   1  NVIDIA H100 80GB HBM3          On  | 00000000:40:00.0 Off |                  Off |
| N/A   ERR!   P0             ERR! / 700W | 79000MiB / 81559MiB  |    100%      Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+

+---------------------------------------------------------------------------------------+
| Processes:                                                                            |
|  GPU   GI   CI        PID   Type   Process name                            GPU Memory |
|        ID   ID                                                             Usage      |
|=======================================================================================|
|    1   N/A  N/A   2503421      C   python3                                   78990MiB |
+---------------------------------------------------------------------------------------+
"""
QUERY = """==============NVSMI LOG==============

Timestamp                                 : Fri Oct 25 11:35:11 2024
Driver Version                            : 535.129.03
CUDA Version                              : 12.2

Attached GPUs                             : 2
GPU 00000000:1A:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    MIG Mode
        Current                           : Disabled
        Pending                           : Disabled
    Fabric
        State                             : In Progress
        Status                            : N/A
    PCI
        GPU Link Info
            PCIe Generation
                Max                       : 5
                Current                   : 4
            Link Width
                Max                       : 16x
                Current                   : 8x
    ECC Errors
        Volatile
            SRAM Correctable              : 0
            DRAM Uncorrectable            : 2
    Remapped Rows
        Correctable Error                 : 0
        Uncorrectable Error               : 1
        Pending                           : Yes
        Remapping Failure Occurred        : No
    Temperature
        GPU Current Temp                  : 33 C
    Clocks Event Reasons
        HW Power Brake Slowdown           : Active
GPU 00000000:40:00.0
    Remapped Rows
        Pending                           : No
"""
NVLINK = """GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)
\t Link 0: 26.562 GB/s
\t Link 1: <inactive>
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-1)
\t Link 0: Replay Errors: 0
\t Link 0: Recovery Errors: 3
\t Link 0: CRC Errors: 1
"""
TOPO = """\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV18\tPIX\t0-47\t0
GPU1\tNV18\t X \tSYS\t48-95\t1
NIC0\tPIX\tSYS\t X \t\t

Legend:

  X    = Self
"""
CSV = """index, pci.bus_id, temperature.gpu, memory.used [MiB], ecc.errors.uncorrected.volatile.total
0, 00000000:1A:00.0, 33, 4 MiB, 2
1, 00000000:40:00.0, 35, 79000 MiB, [N/A]
"""
HEALTH = """+---------------------------+----------------------------------------------------------+
| Health Monitor Report                                                                |
+===========================+==========================================================+
| Overall Health            | Failure                                                  |
| GPU                       |                                                          |
| -> 0                      | Failure                                                  |
|    -> Errors              |                                                          |
|       -> NVLink system    | Failure                                                  |
+---------------------------+----------------------------------------------------------+
"""
DIAG = """+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
| Denylist                  | Pass                                           |
| GPU Memory                | Pass - GPUs: 1, 2, 3                           |
|                           | Fail - GPU: 0                                  |
| Warning                   | GPU 0 A DRAM error was found and the row need  |
|                           | s a reset to be remapped.                      |
| PCIe                      | Skip - All                                     |
+---------------------------+------------------------------------------------+
"""
LINKS = """+-----------------------------+------------------------------------------------+
| NVLINK Error Counts                                                          |
| GPU 3                                                                        |
+=============================+================================================+
|Link 0                       | CRC FLIT Error          | 0                    |
|Link 5                       | Replay Error            | 505                  |
"""
STATUS = """+----------------------+
|  NvLink Link Status  |
+----------------------+
GPUs:
    gpuId 0:
        U U D X
"""


def test_the_table_gives_versions_and_the_state_of_each_gpu() -> None:
    facts = facts_of(TABLE, Kind.NVIDIA_SMI, node="gpu-7")
    assert values(facts, "smi.table.driver_version") == ["535.129.03"]
    assert about(facts, "smi.table.ecc_volatile_uncorrected") == {"00000000:1A:00.0": 2}
    assert about(facts, "smi.table.temperature_c") == {"00000000:1A:00.0": 33}
    assert about(facts, "smi.table.temperature") == {"00000000:40:00.0": "ERR!"}
    assert about(facts, "smi.table.memory_used_mib") == {"00000000:1A:00.0": 4, "00000000:40:00.0": 79000}
    (process,) = [fact for fact in facts if fact.name == "smi.table.process"]
    assert (process.value, process.labels["pid"]) == ("python3", "2503421")
    assert {fact.entity.node for fact in facts if fact.entity} == {"gpu-7", None}


def test_the_query_gives_every_value_under_its_sections() -> None:
    facts = facts_of(QUERY, Kind.NVIDIA_SMI)
    first = "00000000:1A:00.0"
    assert about(facts, "smi.fabric.state") == {first: "In Progress"}
    assert about(facts, "smi.remapped_rows.pending") == {first: "Yes", "00000000:40:00.0": "No"}
    assert about(facts, "smi.ecc_errors.volatile.dram_uncorrectable") == {first: 2}
    assert about(facts, "smi.temperature.gpu_current_temp_c") == {first: 33}
    assert about(facts, "smi.clocks_event_reasons.hw_power_brake_slowdown") == {first: "Active"}
    assert about(facts, "smi.pci.gpu_link_info.link_width.current") == {first: "8x"}
    assert about(facts, "smi.pci.gpu_link_info.pcie_generation.max") == {first: 5}
    assert values(facts, "smi.attached_gpus") == [2]
    assert not values(facts, "smi.fabric.status")


def test_a_pasted_block_of_the_query_is_read_without_its_head() -> None:
    facts = facts_of("    Fabric\n        State                             : In Progress\n", Kind.NVIDIA_SMI)
    assert values(facts, "smi.fabric.state") == ["In Progress"]


def test_links_have_speed_state_and_error_counters() -> None:
    facts = facts_of(NVLINK, Kind.NVIDIA_SMI)
    assert values(facts, "smi.nvlink.speed_gb_per_s") == [26.562]
    assert values(facts, "smi.nvlink.state") == ["inactive"]
    assert about(facts, "smi.nvlink.recovery") == {"1": 3}
    (recovery,) = [fact for fact in facts if fact.name == "smi.nvlink.recovery"]
    assert recovery.labels == {"link": "0"}


def test_the_matrix_says_how_two_devices_are_connected() -> None:
    facts = facts_of(TOPO, Kind.NVIDIA_SMI)
    found = {
        (fact.labels["from"], fact.labels["to"]): fact.value for fact in facts if fact.name == "smi.topo"
    }
    assert found[("GPU0", "GPU1")] == "NV18"
    assert found[("GPU1", "NIC0")] == "SYS"
    assert len(found) == 6


def test_rows_of_a_csv_query() -> None:
    facts = facts_of(CSV, Kind.NVIDIA_SMI)
    assert about(facts, "smi.query.memory_used_mib") == {"00000000:1A:00.0": 4, "00000000:40:00.0": 79000}
    assert about(facts, "smi.query.ecc_errors_uncorrected_volatile_total") == {"00000000:1A:00.0": 2}


@pytest.mark.parametrize(
    ("line", "gpu"),
    [
        ("Unable to determine the device handle for GPU0000:91:00.0: Unknown Error", "0000:91:00.0"),
        (
            "Unable to determine the device handle for GPU 0000:91:00.0: GPU is lost.  Reboot the system to recover this GPU",
            "0000:91:00.0",
        ),
        ("No devices were found", None),
        ("Failed to initialize NVML: Driver/library version mismatch", None),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", None),
    ],
)
def test_refusals_of_the_tool_are_facts(line: str, gpu: str | None) -> None:
    (fact,) = [fact for fact in facts_of(f"{line}\n", Kind.NVIDIA_SMI) if fact.name == "smi.error"]
    assert fact.value == line
    assert (fact.entity.name if fact.entity else None) == gpu


def test_diagnostics_name_the_gpus_that_failed_and_join_broken_texts() -> None:
    facts = facts_of(DIAG, Kind.NVIDIA_SMI)
    assert about(facts, "dcgm.diag.result") == {
        "": "Skip",
        "0": "Fail",
        "1": "Pass",
        "2": "Pass",
        "3": "Pass",
    }
    assert values(facts, "dcgm.diag.warning") == [
        "GPU 0 A DRAM error was found and the row needs a reset to be remapped."
    ]


def test_health_says_which_system_of_which_gpu() -> None:
    facts = facts_of(HEALTH, Kind.NVIDIA_SMI)
    assert values(facts, "dcgm.health.overall") == ["Failure"]
    (system,) = [fact for fact in facts if fact.labels.get("system") == "NVLink system"]
    assert system.entity is not None
    assert (system.entity.name, system.value) == ("0", "Failure")


def test_link_counters_and_states_of_dcgm() -> None:
    facts = facts_of(LINKS, Kind.NVIDIA_SMI)
    (replay,) = [fact for fact in facts if fact.name == "dcgm.nvlink.replay_error"]
    assert (replay.value, replay.labels["link"], replay.entity.name if replay.entity else "") == (
        505,
        "5",
        "3",
    )
    states = [fact.value for fact in facts_of(STATUS, Kind.NVIDIA_SMI) if fact.name == "dcgm.nvlink.state"]
    assert states == ["up", "up", "down", "disabled"]
