"""What the kernels of the machines wrote: hardly anything, old noise on some, and on one (or on a whole switch) the fault."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from firstfault.evals.sim.headline.faults import Root, Story
from firstfault.evals.sim.headline.rank_logs import Line
from firstfault.evals.sim.headline.site import BUS_IDS, GPUS, STUCK_AT, Machine

NOISY_SHARE = 0.08
"""Machines with something old and harmless in their log."""
FLAP_S = 1.6
"""Within how many seconds the ports of the dead switch go down."""


def kernel_lines(story: Story, machine: Machine) -> list[Line]:
    """Return the lines of one machine, oldest first, stamped with its own clock."""
    chance = story.site.chance(f"kernel {machine.number}")
    lines = list(_boot(machine, STUCK_AT - timedelta(days=chance.randrange(6, 40))))
    if chance.random() < NOISY_SHARE:
        lines += _noise(machine, chance.randrange(4), STUCK_AT - timedelta(hours=chance.randrange(20, 120)))
    if machine.number in story.machines:
        lines += _fault(story, machine, chance.uniform(0, FLAP_S))
    return lines


def _said(machine: Machine, at: datetime, text: str) -> Line:
    return Line(machine.clock(at), f"{machine.iso(at)} {machine.name} kernel: {text}")


def _boot(machine: Machine, at: datetime) -> Iterator[Line]:
    yield _said(machine, at, "Linux version 6.8.0-60-generic (buildd@lcy02) (x86_64-linux-gnu-gcc-13)")
    yield _said(
        machine,
        at + timedelta(seconds=9),
        "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build",
    )
    for port in range(4):
        device = f"mlx5_core 0000:{0x18 + 0x22 * port:02x}:00.0"
        yield _said(machine, at + timedelta(seconds=11 + port), f"{device}: firmware version: 28.43.1014")
    yield _said(machine, at + timedelta(seconds=40), "cni0: port 3(veth7c2e11aa) entered forwarding state")


def _noise(machine: Machine, which: int, at: datetime) -> Iterator[Line]:
    """Yield one of four old things that have nothing to do with the incident."""
    if which == 0:
        yield _said(
            machine,
            at,
            "NVRM: Xid (PCI:0000:3b:00): 31, pid=91823, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS",
        )
    elif which == 1:
        yield _said(
            machine, at, "pcieport 0000:15:01.0: AER: Corrected error message received from 0000:17:00.0"
        )
    elif which == 2:  # noqa: PLR2004 - the third of four
        yield _said(
            machine,
            at,
            "perf: interrupt took too long (2503 > 2500), lowering kernel.perf_event_max_sample_rate",
        )
    else:
        yield _said(
            machine, at, "EXT4-fs (nvme2n1): mounted filesystem with ordered data mode. Quota mode: none."
        )


def _fault(story: Story, machine: Machine, after_s: float) -> Iterator[Line]:
    bus = BUS_IDS[(story.rank or 0) % GPUS]
    if story.root is Root.OFF_BUS:
        at = STUCK_AT - timedelta(seconds=9)
        gone = "GPU has fallen off the bus."
        yield _said(
            machine, at, f"NVRM: Xid (PCI:0000:{bus}:00): 79, pid='<unknown>', name=<unknown>, {gone}"
        )
        yield _said(machine, at, f"NVRM: GPU 0000:{bus}:00.0: {gone}")
    elif story.root is Root.NVLINK:
        at = STUCK_AT - timedelta(seconds=6)
        detail = "NVLink: fatal error detected on link 7(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)"
        yield _said(
            machine, at, f"NVRM: Xid (PCI:0000:{bus}:00): 74, pid='<unknown>', name=<unknown>, {detail}"
        )
    elif story.root is Root.SWITCH:
        at = STUCK_AT + timedelta(seconds=after_s - 2)
        yield _said(machine, at, "mlx5_core 0000:18:00.0 ens24np0: Link down")
        yield _said(machine, at + timedelta(seconds=71), "mlx5_core 0000:18:00.0 ens24np0: Link up")
    elif story.root is Root.STORAGE:
        at = STUCK_AT - timedelta(seconds=140)
        yield _said(machine, at, "nfs: server filer-03 not responding, still trying")
        late = at + timedelta(seconds=262)
        yield _said(machine, late, "INFO: task pt_data_worker:20311 blocked for more than 122 seconds.")
        yield _said(machine, late, "      Not tainted 6.8.0-60-generic #63-Ubuntu")
        yield _said(machine, late, " rpc_wait_bit_killable+0x24/0xa0 [sunrpc]")
