"""Whether machines were read whole and nothing of a fault was found: a verified absence, stated as a signal. Pure.

It takes both halves: logs of the kernel that were read to their end and hold no sign of a fault, and counters of GPUs
that were read and are clean. One half says nothing of the other, and what was cut or empty says nothing at all. Counters
that are clean, alone and with nothing beside them that complains, are a signal of their own: a hint, no absence.
"""

from collections.abc import Iterator, Sequence

from firstfault.tools.catalogs.fact_rules import rules_for
from firstfault.tools.catalogs.harmless import is_harmless
from firstfault.tools.catalogs.metric_rules import metric_rules
from firstfault.tools.entities import UNKNOWN_ENTITY, EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.extract.facts import number_of
from firstfault.tools.kinds import FAMILY_OF_KIND, Kind
from firstfault.tools.readings import Fact, Reading, Series
from firstfault.tools.signals import Signal
from firstfault.tools.times import Clock, Stamp

MACHINE_QUIET = "machine.health.quiet"
DEVICE_CLEAN = "device.health.clean"
KERNEL_LOGS = frozenset({Kind.KERNEL_LOG, Kind.JOURNAL, Kind.SYSLOG})
_MUST_BE_WHOLE = KERNEL_LOGS | {
    Kind.APPLICATION_LOG, Kind.CONTAINER_LOG, Kind.FABRIC_MANAGER_LOG, Kind.KUBELET_LOG, Kind.NVIDIA_SMI, Kind.PLAIN,
    Kind.RUNTIME_LOG,
}  # fmt: skip
"""What may hide a fault where it was cut."""
_COUNTED = frozenset(
    {
        "smi.ecc_uncorrectable", "smi.row_remap_failed", "smi.row_remap_pending", "dcgm.diag_failed",
        "dcgm.ecc_uncorrectable", "dcgm.row_remap_failure", "dcgm.row_remap_pending",
    }
)  # fmt: skip
"""Signals of counters and flags that every data centre GPU has, and that are zero on a healthy one."""
_TELLS_ALL = frozenset({Kind.NVIDIA_SMI, Kind.HOST_TOOL, Kind.KUBE_OBJECTS})
"""What is read value by value, so that nothing in it is a fault that is not known."""
_THROTTLES = frozenset({"smi.hw_slowdown", "smi.thermal_slowdown", "smi.power_brake"})
"""Signals of flags that are down on a GPU that nothing slows but its own power limit."""
_NORMAL = frozenset({"smi.power_cap"})
"""What a GPU that is well reports beside: it is as fast as it may be."""
_NO = frozenset({"no", "0", "false", "pass", "pass - all", "not active"})
_LEAST_CLEAN = 3
"""A value or two that people picked out say little. A choice."""
_MOST_CITED = 3


def quiet_signals(
    documents: Sequence[Document], held: Sequence[Reading], signals: Sequence[Signal]
) -> Iterator[Signal]:
    """Yield one signal when all that machines gave is complete, nonempty and without a sign of a fault.

    Where only GPUs were asked and nothing complains, yield that their counters are clean.
    """
    logs = [each for each in documents if each.kind in KERNEL_LOGS]
    if not logs:
        yield from _device_signals(documents, held, signals)
        return
    if any(_may_hide(each) for each in documents):
        return
    if not all(is_harmless(signal.name) for signal in signals):
        return
    clean: list[Fact | Series] = [
        fact for reading in held for fact in reading.facts if _is_clean(fact, _COUNTED)
    ]
    clean += [series for reading in held for series in reading.series if _is_zero(series)]
    if clean:
        yield _signal(MACHINE_QUIET, clean, logs)


def _device_signals(
    documents: Sequence[Document], held: Sequence[Reading], signals: Sequence[Signal]
) -> Iterator[Signal]:
    if any(each.kind not in _TELLS_ALL for each in documents):
        return
    if not all(is_harmless(signal.name) or signal.name in _NORMAL for signal in signals):
        return
    wanted = _COUNTED | _THROTTLES
    clean: list[Fact | Series] = [
        fact for reading in held for fact in reading.facts if _is_clean(fact, wanted)
    ]
    if len(clean) >= _LEAST_CLEAN:
        yield _signal(DEVICE_CLEAN, clean, ())


def _may_hide(document: Document) -> bool:
    """Return whether a fault may be told there and not be known: what was cut, is empty, or a person wrote."""
    if document.kind is Kind.OPERATOR_NOTES:
        return True
    return document.kind in _MUST_BE_WHOLE and not (document.complete and document.body.size)


def _is_clean(fact: Fact, wanted: frozenset[str]) -> bool:
    """Return whether a counter of a GPU was printed and is zero, a flag and is down, or a test and passed."""
    known = number_of(fact.value) == 0 or str(fact.value).strip().casefold() in _NO
    return known and any(rule.signal in wanted for rule in rules_for(fact.name))


def _is_zero(series: Series) -> bool:
    """Return whether a counter of a GPU was scraped, was supported all the time, and is zero."""
    is_counted = any(
        rule.signal in _COUNTED and rule.names.fullmatch(series.metric) for rule in metric_rules()
    )
    return (
        is_counted
        and bool(series.points)
        and not series.blanks
        and all(not value for _, value in series.points)
    )


def _machine(log: Document) -> str | None:
    named = log.entity.name if log.entity is not None and log.entity.kind is EntityKind.NODE else None
    return log.node or named


def _signal(name: str, clean: Sequence[Fact | Series], logs: Sequence[Document]) -> Signal:
    first = clean[0]
    document = first.document
    nodes = {_machine(log) for log in logs or [document]}
    node = nodes.pop() if len(nodes) == 1 else None
    entity = UNKNOWN_ENTITY if node is None else EntityRef(kind=EntityKind.NODE, name=node)
    return Signal(
        name=name,
        entity=entity,
        stamp=Stamp(clock=Clock.POSITION, raw="", series=document.path, position=first.line),
        evidence=first.cite(),
        family=FAMILY_OF_KIND[document.kind],
        attributes={"logs": ", ".join(log.path for log in logs), "counters": len(clean)},
        also=(*(each.cite() for each in clean[1:_MOST_CITED]), *(log.cite(1) for log in logs[:_MOST_CITED])),
    )
