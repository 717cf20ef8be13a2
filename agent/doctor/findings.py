"""From probes to the rows of the doctor's table. Pure."""

from collections.abc import Iterator, Sequence

from firstfault.agent.classes.definitions import ClassDefinition
from firstfault.agent.doctor.finding import Finding, State
from firstfault.agent.doctor.sight import Sight, sight_table, sights, steps
from firstfault.tools.kinds import Kind
from firstfault.tools.probes import Probe, Right

SKEW_S = 5.0
"""Clocks that differ by more put lines of two machines into the wrong order. Ours: NTP keeps hosts within 0.1 s."""


def findings(
    probes: Sequence[Probe], others: Sequence[Finding], classes: Sequence[ClassDefinition]
) -> tuple[Finding, ...]:
    """Return all rows: the kernel log first, then the sources, then `others`, then what all this means for the classes."""
    visible = frozenset(kind for probe in probes if probe.problem is None for kind in probe.kinds)
    return (
        _kernel(visible, [probe.source for probe in probes if probe.problem is not None]),
        *(row for probe in probes for row in _of_probe(probe)),
        *others,
        *_of_classes(classes, visible),
    )


def _kernel(visible: frozenset[Kind], silent: Sequence[str]) -> Finding:
    part = "kernel log"
    if Kind.KERNEL_LOG in visible:
        said = "a collector sends it: Xids are seen first hand"
        return Finding(part=part, state=State.OK, said=said)
    asked = "loki" in silent
    return Finding(
        part=part,
        state=State.WARN,
        said=f"{'loki does not answer' if asked else 'no collector seen'}, and the Kubernetes API cannot give it",
        blind="Xids, SXids, PCIe and memory errors: they are written there first",
        remedy="see to loki (below)" if asked else sight_table().enable[Kind.KERNEL_LOG],
    )


def _of_probe(probe: Probe) -> Iterator[Finding]:
    name = probe.source
    if probe.problem is not None:
        words = sight_table().sources[name]
        yield Finding(part=name, state=State.FAIL, said=probe.problem, blind=words.blind, remedy=words.remedy)
        return
    said = f"answers ({probe.version or 'version not told'})" if probe.has_clock else probe.version or "there"
    yield Finding(part=name, state=State.OK, said=said)
    if probe.has_clock or probe.skew_s:
        yield _clock(probe)
    if probe.has_clock or probe.retention:
        unknown = "the server does not tell: look up how far back it keeps"
        yield Finding(part=f"{name} retention", state=State.OK, said=probe.retention or unknown)
    if probe.rights:
        yield from _rights(name, probe.rights)
    for note in probe.notes:
        yield Finding(part=name, state=State.WARN, said=note.said, blind=note.blind, remedy=note.remedy)


def _clock(probe: Probe) -> Finding:
    part = f"{probe.source} clock"
    if probe.skew_s is None:
        return Finding(part=part, state=State.OK, said="the server does not tell its time")
    if abs(probe.skew_s) <= SKEW_S:
        return Finding(part=part, state=State.OK, said=f"within {SKEW_S:.0f} s of ours")
    way = "ahead of" if probe.skew_s > 0 else "behind"
    return Finding(
        part=part,
        state=State.WARN,
        said=f"{abs(probe.skew_s):.0f} s {way} ours",
        blind="which of two lines came first, where they are from two machines",
        remedy="set NTP right, there or here",
    )


def _rights(name: str, rights: Sequence[Right]) -> Iterator[Finding]:
    lacking = [right.name for right in rights if right.wanted and not right.allowed]
    excess = [right.name for right in rights if not right.wanted and right.allowed]
    wanted = sum(right.wanted for right in rights)
    if lacking:
        yield Finding(
            part=f"{name} reads",
            state=State.FAIL,
            said=f"not allowed to {', '.join(lacking)}",
            blind="what these would have told; each is a gap in a report",
            remedy="apply deploy/rbac.yaml",
        )
    else:
        yield Finding(part=f"{name} reads", state=State.OK, said=f"all {wanted} needed rights are there")
    if excess:
        yield Finding(
            part=f"{name} writes",
            state=State.FAIL,
            said=f"this account may {', '.join(excess)}",
            remedy="use the read-only account of deploy/rbac.yaml",
        )
    else:
        said = f"all {len(rights) - wanted} writes and secrets asked for are refused"
        yield Finding(part=f"{name} writes", state=State.OK, said=said)


def _of_classes(classes: Sequence[ClassDefinition], visible: frozenset[Kind]) -> Iterator[Finding]:
    found = sights(classes, visible)
    counts = {sight: sum(each.sight is sight for each in found) for sight in Sight}
    said = (
        f"{counts[Sight.FULL]} of {len(found)} can be tested with all they need, "
        f"{counts[Sight.PARTIAL]} with a part, {counts[Sight.BLIND]} not at all"
    )
    yield Finding(part="classes", state=State.WARN if counts[Sight.BLIND] else State.OK, said=said)
    for remedy, names in steps(found, Sight.BLIND):
        told = "no source gives what would decide these"
        yield Finding(part="classes", state=State.WARN, said=told, blind=names, remedy=remedy)
    for remedy, names in steps(found, Sight.PARTIAL):
        yield Finding(part="classes", state=State.OK, said=f"seen better when you {remedy}: {names}")
