"""What tools of the host print, as facts."""

import pytest

from firstfault.tools.kinds import Kind
from tests.tools.readers.facts import about, facts_of, values

SHM = "/" + "dev/shm"
"""A mount in what `df` printed, no file of ours."""

DF = """Filesystem      Size  Used Avail Use% Mounted on
tmpfs            94G  336K   94G   1% /dev/shm
/dev/nvme0n1p1  1.8T  1.8T  1.2G 100% /
"""
DF_INODES = "Filesystem       Inodes   IUsed   IFree IUse% Mounted on\n/dev/nvme0n1p1  1000000 1000000       0  100% /\n"
FREE = """               total        used        free      shared  buff/cache   available
Mem:           24105        1912       19537          77        3035       22192
Swap:              0           0           0
"""
MOUNT = "/dev/sda1 on / type ext4 (ro,relatime,errors=remount-ro)\ntmpfs on /dev/shm type tmpfs (rw,nosuid,size=65536k)\n"
ULIMIT = """core file size          (blocks, -c) 0
max locked memory       (kbytes, -l) 64
open files                      (-n) 1024
"""
CONF = "* soft memlock unlimited\n@gpu hard memlock 65536\n"
PROC = """Limit                     Soft Limit           Hard Limit           Units
Max locked memory         65536                65536                bytes
Max open files            1024                 524288               files
"""
LSPCI = """3b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev ff)
\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported
\tLnkSta:\tSpeed 16GT/s (downgraded), Width x8 (downgraded)
\tUESta:\tDLP- SDES+ TLP- FCP- CmpltTO+ CmpltAbrt-
\tKernel driver in use: nvidia  # noqa: E501 - as the tool prints it
d2:00.0 Infiniband controller [0207]: Mellanox Technologies MT2910 Family [ConnectX-7] [15b3:1021]
"""
LSMOD = """Module                  Size  Used by
nvidia_uvm           1540096  2
nvidia              56700928  41 nvidia_uvm,nvidia_modeset
"""
PS_AUX = """USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root      105408  0.0  0.0      0     0 ?        D    Aug18   0:00 [jbd2/dm-8-8]
ai       2503421 99.0  1.2 123456 65536 ?        Rl   07:30  90:00 python3 train.py --lr 1e-4
"""
PS_EO = "root@n:/# ps -eo pid,state,cmd | grep ' D '\n  12405 D /opt/bin/agent\n1233013 D [lvm]\n"
SYSTEMCTL = """● nvidia-fabricmanager.service - NVIDIA fabric manager service
     Loaded: loaded (/usr/lib/systemd/system/nvidia-fabricmanager.service; enabled; preset: enabled)
     Active: failed (Result: exit-code) since Thu 2026-06-18 03:19:01 UTC; 2min ago
   Main PID: 4753 (code=exited, status=1/FAILURE)
"""
CHRONY = """Reference ID    : A9FEA97B (169.254.169.123)
Stratum         : 4
System time     : 0.250000000 seconds slow of NTP time
Last offset     : -0.000012 seconds
Leap status     : Not synchronised
"""
PACKAGES = "nvidia-nccl-cu12==2.20.5\ntorch==2.3.0+cu121\n"
DPKG = "ii  nvidia-driver-550-server  550.90.07-0ubuntu1  amd64  NVIDIA Server Driver metapackage\n"


def test_space_and_memory() -> None:
    facts = facts_of(DF, Kind.HOST_TOOL)
    assert {fact.labels["mount"]: fact.value for fact in facts if fact.name == "df.use_percent"} == {
        SHM: 1,
        "/": 100,
    }
    assert values(facts, "df.size_bytes", lambda fact: fact.labels["mount"] == SHM) == [94 * 2**30]
    inodes = facts_of(DF_INODES, Kind.HOST_TOOL)
    assert values(inodes, "df.inodes_use_percent") == [100]
    assert values(inodes, "df.inodes_free") == [0.0]
    memory = facts_of(FREE, Kind.HOST_TOOL)
    assert values(memory, "free.mem_available_bytes") == [22192 * 1024]
    mounts = facts_of(MOUNT, Kind.HOST_TOOL)
    assert {fact.labels["mount"]: fact.value for fact in mounts if fact.name == "mount.read_only"} == {
        "/": True,
        SHM: False,
    }


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        (ULIMIT, "ulimit.max_locked_memory_kib", 64),
        (ULIMIT, "ulimit.open_files", 1024),
        (PROC, "ulimit.max_locked_memory_bytes", 65536),
        (PROC, "ulimit.max_open_files", 1024),
    ],
)
def test_limits(text: str, name: str, value: int) -> None:
    assert values(facts_of(text, Kind.HOST_TOOL), name) == [value]


def test_configured_limits_say_for_whom() -> None:
    facts = facts_of(CONF, Kind.HOST_TOOL)
    found = {
        (fact.labels["who"], fact.labels["type"]): fact.value
        for fact in facts
        if fact.name == "ulimit.conf.memlock"
    }
    assert found == {("*", "soft"): "unlimited", ("@gpu", "hard"): 65536}


def test_devices_with_link_errors_and_driver() -> None:
    facts = facts_of(LSPCI, Kind.HOST_TOOL, node="gpu-7")
    assert about(facts, "pci.link_width_current") == {"3b:00.0": "x8"}
    assert about(facts, "pci.link_speed_max") == {"3b:00.0": "32GT/s"}
    assert about(facts, "pci.uncorrectable") == {"3b:00.0": "SDES CmpltTO"}
    assert about(facts, "pci.driver") == {"3b:00.0": "nvidia"}
    kinds = {
        fact.entity.name: fact.entity.kind.value
        for fact in facts
        if fact.name == "pci.device" and fact.entity
    }
    assert kinds == {"3b:00.0": "gpu", "d2:00.0": "adapter"}
    assert next(fact for fact in facts if fact.name == "pci.device").labels["rev"] == "ff"


def test_modules_with_their_users() -> None:
    facts = facts_of(LSMOD, Kind.HOST_TOOL)
    assert {fact.labels["module"]: fact.value for fact in facts if fact.name == "lsmod.users"} == {
        "nvidia_uvm": 2,
        "nvidia": 41,
    }


@pytest.mark.parametrize(
    ("text", "states"),
    [(PS_AUX, {"105408": "D", "2503421": "Rl"}), (PS_EO, {"12405": "D", "1233013": "D"})],
)
def test_processes_with_their_state(text: str, states: dict[str, str]) -> None:
    facts = facts_of(text, Kind.HOST_TOOL)
    assert about(facts, "ps.state") == states
    assert any(fact.labels["command"].startswith(("[jbd2", "/opt/bin")) for fact in facts)


def test_services_and_clocks() -> None:
    facts = facts_of(SYSTEMCTL, Kind.HOST_TOOL)
    assert about(facts, "systemd.active") == {"nvidia-fabricmanager.service": "failed (Result: exit-code)"}
    clock = facts_of(CHRONY, Kind.HOST_TOOL)
    assert values(clock, "chrony.system_time_s") == [-0.25]
    assert values(clock, "chrony.leap_status") == ["Not synchronised"]


def test_packages_with_their_version() -> None:
    facts = facts_of(PACKAGES, Kind.HOST_TOOL)
    assert {fact.labels["name"]: fact.value for fact in facts} == {
        "nvidia-nccl-cu12": "2.20.5",
        "torch": "2.3.0+cu121",
    }
    assert values(facts_of(DPKG, Kind.HOST_TOOL), "package.version") == ["550.90.07-0ubuntu1"]


def test_output_that_people_paste_into_notes_is_read_as_well() -> None:
    facts = facts_of(CONF, Kind.OPERATOR_NOTES)
    assert values(facts, "ulimit.conf.memlock") == ["unlimited", 65536]
