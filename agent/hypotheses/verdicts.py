"""Which verdict word the evidence allows. Code decides, by DESIGN §5 "Verdict words". Pure."""

from collections.abc import Sequence

from firstfault.agent.classes.definitions import Strength
from firstfault.agent.classes.matching import SignalSet, node_of
from firstfault.agent.findings import Verdict
from firstfault.agent.hypotheses.proofs import is_hearsay, proving
from firstfault.agent.hypotheses.ranking import Ranked
from firstfault.agent.hypotheses.trials import Trial
from firstfault.tools.entities import EntityKind
from firstfault.tools.extract.questions import asks_for_state
from firstfault.tools.extract.quiet import MACHINE_QUIET
from firstfault.tools.kinds import Family
from firstfault.tools.signals import Signal
from firstfault.tools.times import Order, order

SPEC_AGAINST_STATUS = "spec_against_status"
"""Attribute of signals that come from an object's spec read against the status of others: two families in one."""
DRIVER_FAMILIES = frozenset({Family.KERNEL, Family.DEVICE, Family.METRICS})
"""Families that speak through one and the same GPU driver: they are one witness for GPU classes."""
NEEDED_FAMILIES = 2


def open_rivals(best: Ranked, others: Sequence[Ranked]) -> tuple[str, ...]:
    """Return the classes that could still be true instead of `best`: supported, uncontradicted, no consequence of it."""
    return tuple(
        other.trial.name
        for other in others
        if other is not best
        and not other.trial.against
        and other.parent is None
        and other.trial.strength >= Strength.STRONG.rank
        and not _one_story(best, other)
    )


def _one_story(best: Ranked, other: Ranked) -> bool:
    """Return whether every signal that speaks for `other` already speaks for `best` or follows from it."""
    own = {(s.name, s.evidence.id) for s in best.trial.signals}
    return all((s.name, s.evidence.id) in own or best.trial.explains(s) for s in other.trial.signals)


RECORDED_BY_OTHERS = frozenset({"kubernetes", "application"})
"""Layers whose consequences are recorded by others than whoever reports the cause: the API server writes down what became
of a pod, whatever its program says."""
OTHER_REPORTERS = frozenset(
    {Family.API_OBJECTS, Family.API_EVENTS, Family.CONTROL_PLANE, Family.APPLICATION, Family.RUNTIME}
)
"""Who can bear witness to a fault of a machine beside its kernel and drivers, by what became of its work."""


def witnesses(best: Ranked, signals: SignalSet | None = None, change: Signal | None = None) -> frozenset[str]:
    """Return the independent families of machine evidence that speak for the class: what the gate counts as well.

    Everything that one GPU driver says is one family, and a program that quotes the machine is none. A blamed change is
    one; so is a consequence in another family, seen on the very thing that is at fault.
    """
    families: set[str] = set()
    for signal in best.trial.signals:
        if signal.said_by_human or is_hearsay(signal):
            continue
        one_driver = (
            best.trial.definition.layer in {"gpu", "nvlink", "driver"} and signal.family in DRIVER_FAMILIES
        )
        families.add("driver" if one_driver else str(signal.family))
        if signal.attributes.get(SPEC_AGAINST_STATUS):
            families |= {"spec", "status"}
    if change is not None:
        families.add(str(change.family))
    if signals is not None:
        families |= {str(signal.family) for signal in _consequences(best, signals)}
    return frozenset(families)


def _consequences(best: Ranked, signals: SignalSet) -> list[Signal]:
    """Return what follows from the class on the very thing at fault; for a machine, on it and not before the fault."""
    own = [signal for signal in best.trial.signals if not signal.said_by_human]
    linked = _one_thing if best.trial.definition.layer in RECORDED_BY_OTHERS else _one_machine
    return [
        signal
        for signal in signals.signals
        if not signal.said_by_human
        and best.trial.explains(signal)
        and any(linked(cause, signal) for cause in own)
    ]


def _one_machine(cause: Signal, effect: Signal) -> bool:
    """Return whether another reporter than the machine's drivers saw the effect on the same machine, not before the cause."""
    machine = node_of(cause)
    return (
        bool(machine)
        and machine in {node_of(effect), str(effect.attributes.get("object", ""))}
        and effect.family in OTHER_REPORTERS
        and order(effect.stamp, cause.stamp) is not Order.BEFORE
    )


def _one_thing(cause: Signal, effect: Signal) -> bool:
    """Return whether both are about one object, or about a pod or replica set and the workload it belongs to."""
    first, second = cause.entity, effect.entity
    if first.namespace and second.namespace and first.namespace != second.namespace:
        return False
    return any(_is_part(one, two) or _is_part(two, one) for one in _names(cause) for two in _names(effect))


def _names(signal: Signal) -> set[str]:
    """Return what the signal is about: its entity, and the object whose event or status it stands in."""
    named = {str(signal.attributes.get(key, "")) for key in ("pod", "object")}
    if signal.entity.kind not in {EntityKind.UNKNOWN, EntityKind.NAMESPACE, EntityKind.CLUSTER}:
        named.add(signal.entity.name)
    return named - {""}


def _is_part(part: str, whole: str) -> bool:
    return part == whole or part.startswith(f"{whole}-")


def verdict_of(
    best: Ranked | None,
    others: Sequence[Ranked],
    signals: SignalSet | None = None,
    change: Signal | None = None,
    question: str = "",
) -> tuple[Verdict, str]:
    """Return the verdict word and the reason for it.

    change: the record of the change that is blamed, if one is. question: what was asked; a machine that is well is no
    answer to why a program failed.
    """
    if best is None:
        return Verdict.INCONCLUSIVE, "no class of failure is supported by what was seen"
    trial = best.trial
    why_not = _undecided(best)
    if why_not is not None:
        return Verdict.INCONCLUSIVE, why_not
    if _is_beside(trial, question):
        return Verdict.INCONCLUSIVE, "the machine that was read shows no fault; what failed was not read"
    if trial.definition.layer == "none":
        return Verdict.NO_FAULT, "what was read shows no fault, or that it is over"
    count = len(witnesses(best, signals, change))
    doubts = _doubts(best, others, count)
    if doubts:
        return Verdict.LIKELY, "; ".join(doubts)
    proof = proving(trial) if count < NEEDED_FAMILIES else None
    agreement = "independent sources agree" if proof is None else f"it proves itself ({proof.because})"
    return Verdict.CONFIRMED, f"supported, first fault placed, {agreement}, rivals ruled out"


def _is_beside(trial: Trial, question: str) -> bool:
    """Return whether only a machine's health was seen, and neither its state nor the machine itself was asked about."""
    seen = {signal.name for signal in trial.signals}
    names = {node_of(signal) for signal in trial.signals} - {""}
    is_asked = not question or asks_for_state(question) or any(name in question for name in names)
    return seen == {MACHINE_QUIET} and not is_asked


def _undecided(best: Ranked) -> str | None:
    """Return why nothing can be concluded from the best class, or None when something can."""
    trial = best.trial
    if trial.name == "unknown":
        return "the evidence does not allow a class"
    if trial.against:
        return f"something contradicts it: {trial.against[0][0]}"
    if best.undecided is not None:
        return best.undecided
    if trial.strength < Strength.STRONG.rank:
        return "only weak signs point there"
    return None


def _doubts(best: Ranked, others: Sequence[Ranked], count: int) -> list[str]:
    trial = best.trial
    rivals = open_rivals(best, others)
    is_proven = proving(trial) is not None
    checks = (
        (
            trial.definition.confirmable or is_proven,
            "this class is never confirmed by machine output alone",
        ),
        (
            trial.machine_strength == Strength.DECISIVE.rank,
            "no decisive sign in machine output",
        ),
        (
            best.first is not None and not best.first.said_by_human,
            "the first fault is not placed in machine output",
        ),
        (
            count >= NEEDED_FAMILIES or is_proven,
            "no second independent source speaks for it",
        ),
        (not rivals, f"still open: {', '.join(rivals)}"),
    )
    return [reason for met, reason in checks if not met]
