"""Journal files as journald writes them: made by systemd's own writer from its export format."""

import struct
import subprocess
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

WRITER = "/lib/systemd/systemd-journal-remote"
"""Debian: package systemd-journal-remote."""
MACHINE = "3f1c2b4a5d6e4f708192a3b4c5d6e7f8"
BOOT = "b6d0c2a1f5e84d3c9a7e1f2030405060"
AT_US = int(datetime(2026, 11, 30, 5, 57, 58, tzinfo=UTC).timestamp()) * 1_000_000
"""When the first entry was received."""
UPTIME_US = 71_234_567_890
Fields = dict[str, str | bytes]


def kernel(message: str) -> Fields:
    """Return what journald keeps of a line of the kernel."""
    return {
        "_TRANSPORT": "kernel",
        "SYSLOG_IDENTIFIER": "kernel",
        "SYSLOG_FACILITY": "0",
        "PRIORITY": "3",
        "MESSAGE": message,
    }


def unit(name: str, message: str | bytes, transport: str = "stdout") -> Fields:
    """Return what journald keeps of a line of a unit."""
    program = name.partition(".")[0]
    return {
        "_TRANSPORT": transport,
        "_SYSTEMD_UNIT": name,
        "SYSLOG_IDENTIFIER": program,
        "_COMM": program,
        "_PID": "1234",
        "PRIORITY": "6",
        "MESSAGE": message,
    }


ENTRIES: tuple[Fields, ...] = (
    kernel("NVRM: Xid (PCI:0000:4e:00): 79, pid=4711, name=python3, GPU has fallen off the bus."),
    kernel("NVRM: GPU 0000:4e:00.0: GPU has fallen off the bus."),
    kernel(
        "NVRM: Xid (PCI:0000:4e:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)"
    ),
    kernel('audit: type=1400 apparmor="DENIED" operation="open" name="C:\\new" profile="x"'),
    unit("kubelet.service", 'I1130 05:58:00.100000    1234 kubelet.go:2450] "SyncLoop (PLEG)" pod="a/b"'),
    unit("containerd.service", 'time="2026-11-30T05:58:00Z" level=error msg="failed to exec"', "journal"),
    unit("nvidia-fabricmanager.service", "[Nov 30 2026 05:58:01] [ERROR] [tid 77] lost a GPU"),
    unit("multi.service", "first line\nsecond line\n\tthird", "journal"),
    unit("binary.service", b"\x00\x01\xff\xfe binary \x1b[31m \xc3\x28", "syslog"),
    {"_TRANSPORT": "driver", "SYSLOG_IDENTIFIER": "systemd-journald", "MESSAGE": "Journal started"},
    # What systemd says of a unit names it in a field that is called almost as the trusted one.
    {
        **unit("init.scope", "kubelet.service: Failed with result 'exit-code'.", "journal"),
        "UNIT": "kubelet.service",
    },
    {"_TRANSPORT": "journal", "_SYSTEMD_UNIT": "core.service", "COREDUMP_EXE": "/usr/bin/no-message"},
)
"""What a node says within a second: kernel, units, several lines in one, bytes that are no text, no message at all."""


def write(file: Path, entries: Iterable[Fields], *, after_us: int = 0) -> None:
    """Write a journal file; one entry every 10 ms, the first `after_us` after AT_US."""
    file.parent.mkdir(parents=True, exist_ok=True)
    export = b"".join(_exported(entries, after_us))
    subprocess.run([WRITER, "-o", file, "-"], input=export, check=True, capture_output=True, timeout=30)


def at_ns(number: int, after_us: int = 0) -> int:
    """Return when the entry of that number was received."""
    return (AT_US + after_us + number * 10_000) * 1_000


def _exported(entries: Iterable[Fields], after_us: int) -> Iterator[bytes]:
    for number, entry in enumerate(entries):
        passed_us = after_us + number * 10_000
        yield (
            f"__REALTIME_TIMESTAMP={AT_US + passed_us}\n__MONOTONIC_TIMESTAMP={UPTIME_US + passed_us}\n"
            f"_BOOT_ID={BOOT}\n_MACHINE_ID={MACHINE}\n_HOSTNAME=gpu-00003\n"
        ).encode()
        for name, value in entry.items():
            data = value.encode() if isinstance(value, str) else value
            is_text = all(byte >= ord(" ") for byte in data)
            field = name.encode()
            yield field + (b"=" + data if is_text else b"\n" + struct.pack("<Q", len(data)) + data) + b"\n"
        yield b"\n"
