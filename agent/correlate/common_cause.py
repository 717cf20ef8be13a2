"""What affected nodes share more than chance allows (DESIGN §5, Common cause). Pure.

For every value of every dimension: of `total` nodes that have a value there, `group` have this one; of the affected
ones, `inside` have it. The chance of at least as many by luck is the upper tail of the hypergeometric distribution,
multiplied by the number of values tested (Bonferroni). A slow skew is no common cause: only faults that began within
one window of each other count together.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb

from firstfault.agent.classes.matching import node_of
from firstfault.agent.correlate.chorus import HEARD_ON
from firstfault.agent.findings import CommonCause
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.kinds import Family
from firstfault.tools.signals import Signal
from firstfault.tools.times import Clock, Stamp
from firstfault.tools.topology.groups import Membership

MAX_P = 0.01
"""Corrected probability above which a shared key is chance. Source: usual two-sided 1 % level; see docs/adr."""
MIN_AFFECTED = 2
"""Affected nodes that must share the key. Source: DESIGN §5, "two or more nodes sharing a key inside the window"."""
WINDOW_S = 900.0
"""Faults that begin within 15 minutes of each other are one event; a rack that is merely warmer fails over weeks."""
MIN_OUTSIDE = 1
"""Nodes without the value there must be, else the key says nothing."""


def common_causes(affected: Sequence[Signal], memberships: Iterable[Membership]) -> tuple[CommonCause, ...]:
    """Return the keys shared beyond chance by the nodes that `affected` signals are about, the least likely first."""
    groups = _groups(memberships)
    hit = _of_one_event(affected)
    tests = [
        (dimension, value, nodes) for dimension, values in groups.items() for value, nodes in values.items()
    ]
    found: list[CommonCause] = []
    for dimension, value, nodes in tests:
        everyone = {node for members in groups[dimension].values() for node in members}
        chances = _Draw(
            inside=tuple(sorted(hit & set(nodes))),
            group=len(nodes),
            total=len(everyone),
            drawn=len(hit & everyone),
        )
        cause = _tested((dimension, value), nodes, chances, len(tests))
        if cause is not None:
            found.append(cause)
    return tuple(sorted(found, key=lambda c: (c.p_value, -c.affected, c.dimension, c.value)))


def shared_by_kind(signals: Sequence[Signal], memberships: Sequence[Membership]) -> tuple[CommonCause, ...]:
    """Return the common causes of each kind of signal by itself, the least likely first, one per dimension and value.

    Machines that merely have something to say in common are not affected by one thing: only equal names are compared.
    What most machines say is not listed for each of them (`chorus`), and nothing is told by it.
    """
    if not memberships:
        return ()
    by_name: dict[str, list[Signal]] = defaultdict(list)
    for signal in signals:
        if node_of(signal) and not signal.said_by_human:
            by_name[signal.name].append(signal)
    told = [group for group in by_name.values() if not any(HEARD_ON in signal.attributes for signal in group)]
    found = [cause for group in told for cause in common_causes(group, memberships)]
    found.sort(key=lambda c: (c.p_value, -c.affected, c.dimension, c.value))
    return tuple({(c.dimension, c.value): c for c in reversed(found)}.values())[::-1]


def as_signals(causes: Iterable[CommonCause]) -> tuple[Signal, ...]:
    """Return each common cause as a signal `common.<dimension>` about the shared thing, for classes to test."""
    return tuple(
        Signal(
            name=f"common.{cause.dimension}",
            entity=EntityRef(kind=_KINDS.get(cause.dimension, EntityKind.UNKNOWN), name=cause.value),
            stamp=Stamp(
                clock=Clock.POSITION,
                raw="",
                series=cause.evidence[0].path,
                position=cause.evidence[0].line_start,
            ),
            evidence=cause.evidence[0],
            also=cause.evidence[1:],
            family=Family.API_OBJECTS,
            attributes={
                "affected": cause.affected,
                "total": cause.total,
                "lift": cause.lift,
                "p_value": cause.p_value,
            },
        )
        for cause in causes
        if cause.evidence
    )


_KINDS = {
    "switch": EntityKind.SWITCH,
    "spine": EntityKind.SWITCH,
    "core_switch": EntityKind.SWITCH,
    "rail": EntityKind.SWITCH,
    "rack": EntityKind.RACK,
    "driver": EntityKind.LIBRARY,
    "image": EntityKind.IMAGE,
}


def upper_tail(total: int, group: int, drawn: int, inside: int) -> float:
    """Return P(at least `inside` of `drawn` nodes lie in a group of `group` among `total`), exact."""
    ways = sum(comb(group, k) * comb(total - group, drawn - k) for k in range(inside, min(group, drawn) + 1))
    return ways / comb(total, drawn)


def _groups(
    memberships: Iterable[Membership],
) -> Mapping[str, Mapping[str, Mapping[str, Membership]]]:
    groups: dict[str, dict[str, dict[str, Membership]]] = defaultdict(lambda: defaultdict(dict))
    for each in memberships:
        groups[each.dimension][each.value][each.node] = each
    return groups


def _of_one_event(affected: Sequence[Signal]) -> set[str]:
    """Return the nodes whose first signal lies in the fullest window; nodes without a wall clock all count."""
    first: dict[str, float | None] = {}
    for signal in affected:
        node = node_of(signal)
        at = signal.stamp.at.timestamp() if signal.stamp.at else None
        known = first.get(node)
        if node and (node not in first or (at is not None and (known is None or at < known))):
            first[node] = at
    timed = sorted((at, node) for node, at in first.items() if at is not None)
    fullest: set[str] = set()
    for start, _ in timed:
        inside = {node for at, node in timed if start <= at <= start + WINDOW_S}
        if len(inside) > len(fullest):
            fullest = inside
    return fullest | {node for node, at in first.items() if at is None}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draw:
    """Affected nodes as a draw without replacement: `drawn` of `total`, of which `inside` fell into the `group`."""

    inside: tuple[str, ...]
    group: int
    total: int
    drawn: int


def _tested(
    key: tuple[str, str], nodes: Mapping[str, Membership], draw: _Draw, tests: int
) -> CommonCause | None:
    if len(draw.inside) < MIN_AFFECTED or draw.total - draw.group < MIN_OUTSIDE:
        return None
    p_value = min(1.0, upper_tail(draw.total, draw.group, draw.drawn, len(draw.inside)) * tests)
    lift = (len(draw.inside) / draw.drawn) / (draw.group / draw.total)
    if p_value > MAX_P or lift <= 1.0:
        return None
    return CommonCause(
        dimension=key[0],
        value=key[1],
        affected=len(draw.inside),
        total=draw.group,
        lift=round(lift, 3),
        p_value=float(f"{p_value:.3g}"),
        members=draw.inside,
        evidence=tuple(nodes[node].evidence for node in draw.inside[:5]),
    )
