"""Device reports that a program's log repeats although the kernel of that machine, which makes them, has others. Pure.

A hint in a training log, a test or a bug report pasted into it may read `NVRM: Xid 48`. Where the kernel log of the same
machine is at hand and tells of other reports, the program only quotes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from firstfault.tools.entities import EntityKind
from firstfault.tools.kinds import FAMILY_OF_KIND, Kind
from firstfault.tools.signals import Signal

QUOTED = "quoted.device_report"
_FIRST_HAND = frozenset({Kind.KERNEL_LOG, Kind.JOURNAL, Kind.SYSLOG})
_PROGRAMS = frozenset({Kind.APPLICATION_LOG, Kind.CONTAINER_LOG, Kind.JOB_STATUS})
_REPORTS = ("xid.", "sxid.", "nvrm.")


def without_quotations(signals: Iterable[Signal]) -> Iterator[Signal]:
    """Yield the signals; what a program quotes becomes `quoted.device_report`, whose `says` is the signal's name."""
    held = tuple(signals)
    reports: dict[str, set[str]] = defaultdict(set)
    for signal in held:
        if signal.evidence.kind in _FIRST_HAND and signal.name.startswith(_REPORTS):
            reports[_machine(signal)].add(signal.name)
    for signal in held:
        known = reports.get(_machine(signal))
        is_report = signal.evidence.kind in _PROGRAMS and signal.name.startswith(_REPORTS)
        if known and is_report and signal.name not in known:
            family = FAMILY_OF_KIND[signal.evidence.kind]
            yield replace(
                signal, name=QUOTED, family=family, attributes={**signal.attributes, "says": signal.name}
            )
        else:
            yield signal


def _machine(signal: Signal) -> str:
    """Return the machine that a report is about, empty when nothing names it."""
    entity = signal.entity
    return entity.name if entity.kind is EntityKind.NODE else entity.node or ""
