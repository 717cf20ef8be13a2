"""From probes to the rows of the doctor's table. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from firstfault.agent.classes.definitions import ClassDefinition
from firstfault.agent.doctor.sight import Sight, sight_table, sights, steps
from firstfault.tools.kinds import Kind
from firstfault.tools.probes import Probe, Right

SKEW_S = 5.0
"""Clocks that differ by more put lines of two machines into the wrong order. Ours: NTP keeps hosts within 0.1 s."""


class State(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One row: what was checked, how it ended, what is the matter and what to do."""

    part: str
    state: State
    said: str


def findings(
    probes: Sequence[Probe], problems: Sequence[tuple[str, str]], classes: Sequence[ClassDefinition]
) -> tuple[Finding, ...]:
    """Return all rows, the kernel log first. problems: other parts, each with what is wrong, empty when nothing is."""
    visible = frozenset(kind for probe in probes if probe.problem is None for kind in probe.kinds)
    return (
        _kernel(visible),
        *(
            Finding(part=part, state=State.FAIL if wrong else State.OK, said=wrong or "opened")
            for part, wrong in problems
        ),
        *(row for probe in probes for row in _of_probe(probe)),
        *_of_classes(classes, visible),
    )


def worst(rows: Sequence[Finding]) -> State:
    """Return the worst state."""
    order = list(State)
    return max((row.state for row in rows), key=order.index, default=State.OK)


def _kernel(visible: frozenset[Kind]) -> Finding:
    if Kind.KERNEL_LOG in visible:
        return Finding(
            part="kernel log", state=State.OK, said="a collector sends it: Xids are seen first hand"
        )
    said = (
        "no collector seen: Xids, SXids and PCIe errors are written there and the Kubernetes API cannot give them; "
        f"enable {sight_table().enable[Kind.KERNEL_LOG]}"
    )
    return Finding(part="kernel log", state=State.WARN, said=said)


def _of_probe(probe: Probe) -> Iterator[Finding]:
    name = probe.source
    if probe.problem is not None:
        yield Finding(part=name, state=State.FAIL, said=probe.problem)
        return
    yield Finding(part=name, state=State.OK, said=f"answers ({probe.version or 'version not told'})")
    yield _clock(probe)
    yield Finding(
        part=f"{name} retention",
        state=State.OK,
        said=probe.retention or "the server does not tell: look up how far back it keeps",
    )
    if probe.rights:
        yield from _rights(name, probe.rights)
    for note in probe.notes:
        yield Finding(part=name, state=State.WARN, said=note)


def _clock(probe: Probe) -> Finding:
    part = f"{probe.source} clock"
    if probe.skew_s is None:
        return Finding(part=part, state=State.OK, said="the server does not tell its time")
    if abs(probe.skew_s) <= SKEW_S:
        return Finding(part=part, state=State.OK, said=f"within {SKEW_S:.0f} s of ours")
    way = "ahead of" if probe.skew_s > 0 else "behind"
    said = f"{abs(probe.skew_s):.0f} s {way} ours: set NTP right, or times of two sources cannot be compared"
    return Finding(part=part, state=State.WARN, said=said)


def _rights(name: str, rights: Sequence[Right]) -> Iterator[Finding]:
    lacking = [right.name for right in rights if right.wanted and not right.allowed]
    excess = [right.name for right in rights if not right.wanted and right.allowed]
    wanted = sum(right.wanted for right in rights)
    if lacking:
        said = f"not allowed to {', '.join(lacking)}: apply deploy/rbac.yaml"
        yield Finding(part=f"{name} reads", state=State.FAIL, said=said)
    else:
        yield Finding(part=f"{name} reads", state=State.OK, said=f"all {wanted} needed rights are there")
    if excess:
        said = f"this account may {', '.join(excess)}: use the read-only account of deploy/rbac.yaml"
        yield Finding(part=f"{name} writes", state=State.FAIL, said=said)
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
        yield Finding(part="classes", state=State.WARN, said=f"blind to: {names}; enable {remedy}")
    for remedy, names in steps(found, Sight.PARTIAL):
        yield Finding(part="classes", state=State.OK, said=f"seen better: {names}; with {remedy}")
