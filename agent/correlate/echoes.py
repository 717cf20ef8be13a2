"""Which signals are echoes of others: causal rules beat stamps (DESIGN §5). Pure; the rules are `echoes.yaml`.

A rule says: a signal of one kind is an echo when a signal of another kind is there, on the same thing, not later
than it (and within a time, where both times are known), unless an exception holds.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Annotated, Literal, cast

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter

from firstfault.agent.classes.definitions import Matcher
from firstfault.agent.classes.matching import (
    SignalSet,
    join_key,
    node_of,
    seconds_between,
)
from firstfault.tools.signals import Signal
from firstfault.tools.times import Order, order


def _matcher(value: object) -> object:
    return {"signal": cast("object", value)} if isinstance(value, str | list) else value


OneMatcher = Annotated[Matcher, BeforeValidator(_matcher)]


class EchoRule(BaseModel):
    """One rule. `of` absent: always an echo or a mere summary, whatever else is there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    echo: OneMatcher
    of: OneMatcher | None = None
    unless: OneMatcher | None = None
    """No echo when such a signal precedes it on the same thing."""
    same: Literal["line", "entity", "node", "any"] = "node"
    within_s: float | None = None
    after: bool = True
    """The root must not be known to have happened later than the echo."""
    older_by_s: float | None = None
    """It happened at least so long before the root: no echo, but nothing that can be behind it either (context)."""
    told: bool = True
    """A root that only people tell of counts; where it does not, what a machine shows stays a witness for their words."""
    because: str
    source: str


class Echo(BaseModel):
    """One signal explained away: by which rule, and of which signal."""

    model_config = ConfigDict(frozen=True)

    index: int
    rule: str
    because: str
    root: int | None = None
    is_beside: bool = False
    """It has nothing to do with the rest, rather than following from it."""


@lru_cache(maxsize=1)
def load_echo_rules() -> tuple[EchoRule, ...]:
    """Return the shipped rules in file order."""
    text = (resources.files("firstfault.agent.correlate") / "echoes.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[EchoRule, ...]).validate_python(yaml.safe_load(text))


def find_echoes(signals: Sequence[Signal], rules: Sequence[EchoRule]) -> tuple[Echo, ...]:
    """Return every signal that a rule explains away, the first rule that fits winning, in the order of `signals`."""
    everything = SignalSet(signals=tuple(signals))
    found: dict[int, Echo] = {}
    for rule in rules:
        candidates = _indices(everything, rule.echo)
        roots = _indices(everything, rule.of) if rule.of else []
        if not rule.told:
            roots = [index for index in roots if not signals[index].said_by_human]
        barred = _indices(everything, rule.unless) if rule.unless else []
        for index in candidates:
            if index in found:
                continue
            echo = _explained(rule, index, roots, barred, signals)
            if echo is not None:
                found[index] = echo
    return tuple(found[index] for index in sorted(found))


def _explained(
    rule: EchoRule,
    index: int,
    roots: Sequence[int],
    barred: Sequence[int],
    signals: Sequence[Signal],
) -> Echo | None:
    signal = signals[index]
    if any(other != index and _linked(rule, signals[other], signal) for other in barred):
        return None
    if rule.of is None:
        return Echo(index=index, rule=rule.id, because=rule.because)
    for other in roots:
        if other != index and _linked(rule, signals[other], signal):
            is_beside = rule.older_by_s is not None
            return Echo(index=index, rule=rule.id, because=rule.because, root=other, is_beside=is_beside)
    return None


def _linked(rule: EchoRule, root: Signal, echo: Signal) -> bool:
    return _same_thing(rule, root, echo) and _in_time(rule, root, echo)


def _same_thing(rule: EchoRule, root: Signal, echo: Signal) -> bool:
    if rule.same == "line":
        return _place(root) == _place(echo)
    if rule.same == "entity":
        return join_key(root, "entity") == join_key(echo, "entity")
    return rule.same != "node" or _one_node(root, echo)


def _in_time(rule: EchoRule, root: Signal, echo: Signal) -> bool:
    gap_s = seconds_between(echo, root)
    if rule.older_by_s is not None:
        return gap_s is not None and gap_s >= rule.older_by_s
    if rule.after and order(root.stamp, echo.stamp) is Order.AFTER:
        return False
    return rule.within_s is None or gap_s is None or abs(gap_s) <= rule.within_s


def _place(signal: Signal) -> tuple[str, int]:
    return signal.evidence.path, signal.evidence.line_start


def _one_node(first: Signal, second: Signal) -> bool:
    """Return whether both may be on one machine: equal names, or one of them unknown."""
    one, two = node_of(first), node_of(second)
    return not one or not two or one == two


def _indices(signals: SignalSet, matcher: Matcher) -> list[int]:
    wanted = {id(signal) for signal in signals.find(matcher)}
    return [index for index, signal in enumerate(signals.signals) if id(signal) in wanted]
