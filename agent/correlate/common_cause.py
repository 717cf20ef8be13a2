"""What affected nodes share more than chance allows (DESIGN §5, Common cause). Pure.

For every value of every dimension: of `total` nodes that have a value there, `group` have this one; of the affected
ones, `inside` have it. The chance of at least as many by luck is the upper tail of the hypergeometric distribution,
multiplied by the number of values tested (Bonferroni). A slow skew is no common cause: only faults that began within
one window of each other count together.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import comb

from firstfault.agent.classes.matching import node_of
from firstfault.agent.findings import CommonCause
from firstfault.tools.signals import Signal
from firstfault.tools.topology.groups import Membership

MAX_P = 0.01
"""Corrected probability above which a shared key is chance. Source: usual two-sided 1 % level; see docs/adr."""
MIN_AFFECTED = 2
"""Affected nodes that must share the key. Source: DESIGN §5, "two or more nodes sharing a key inside the window"."""
WINDOW_S = 900.0
"""Faults that begin within 15 minutes of each other are one event; a rack that is merely warmer fails over weeks."""
MIN_OUTSIDE = 1
"""Nodes without the value there must be, else the key says nothing."""


def common_causes(
    affected: Sequence[Signal], memberships: Iterable[Membership]
) -> tuple[CommonCause, ...]:
    """Return the keys shared beyond chance by the nodes that `affected` signals are about, the least likely first."""
    groups = _groups(memberships)
    hit = _of_one_event(affected)
    tests = [
        (dimension, value, nodes)
        for dimension, values in groups.items()
        for value, nodes in values.items()
    ]
    found: list[CommonCause] = []
    for dimension, value, nodes in tests:
        everyone = {node for members in groups[dimension].values() for node in members}
        cause = _tested(dimension, value, nodes, everyone, hit & everyone, len(tests))
        if cause is not None:
            found.append(cause)
    return tuple(
        sorted(found, key=lambda c: (c.p_value, -c.affected, c.dimension, c.value))
    )


def upper_tail(total: int, group: int, drawn: int, inside: int) -> float:
    """Return P(at least `inside` of `drawn` nodes lie in a group of `group` among `total`), exact."""
    ways = sum(
        comb(group, k) * comb(total - group, drawn - k)
        for k in range(inside, min(group, drawn) + 1)
    )
    return ways / comb(total, drawn)


def _groups(
    memberships: Iterable[Membership],
) -> Mapping[str, Mapping[str, Mapping[str, Membership]]]:
    groups: dict[str, dict[str, dict[str, Membership]]] = defaultdict(
        lambda: defaultdict(dict)
    )
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
        if node and (
            node not in first or (at is not None and (known is None or at < known))
        ):
            first[node] = at
    timed = sorted((at, node) for node, at in first.items() if at is not None)
    fullest: set[str] = set()
    for start, _ in timed:
        inside = {node for at, node in timed if start <= at <= start + WINDOW_S}
        if len(inside) > len(fullest):
            fullest = inside
    return fullest | {node for node, at in first.items() if at is None}


def _tested(
    dimension: str,
    value: str,
    nodes: Mapping[str, Membership],
    everyone: set[str],
    hit: set[str],
    tests: int,
) -> CommonCause | None:
    inside = sorted(hit & set(nodes))
    total, group, drawn = len(everyone), len(nodes), len(hit)
    if len(inside) < MIN_AFFECTED or total - group < MIN_OUTSIDE:
        return None
    p_value = min(1.0, upper_tail(total, group, drawn, len(inside)) * tests)
    lift = (len(inside) / drawn) / (group / total)
    if p_value > MAX_P or lift <= 1.0:
        return None
    return CommonCause(
        dimension=dimension,
        value=value,
        affected=len(inside),
        total=group,
        lift=round(lift, 3),
        p_value=float(f"{p_value:.3g}"),
        members=tuple(inside),
        evidence=tuple(nodes[node].evidence for node in inside[:5]),
    )
