"""What to do, least destructive first, and what not to do. Pure: closed actions, targets from what was seen."""

from collections.abc import Sequence

from firstfault.agent.classes.definitions import ActionRule
from firstfault.agent.classes.matching import SignalSet, holds, node_of
from firstfault.agent.facts.targets import UNNAMED
from firstfault.agent.findings import (
    Diagnosis,
    DoNot,
    Hypothesis,
    Owner,
    Recommendation,
    Standing,
    Verdict,
)
from firstfault.agent.hypotheses.conclusions import Conclusion
from firstfault.agent.hypotheses.wording import fill
from firstfault.agent.recommend.aiming import aim, changed_object, parameters_of
from firstfault.policies.actions import SPECS, Action
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Evidence
from firstfault.tools.signals import Signal

CLUSTER = EntityRef(kind=EntityKind.CLUSTER, name="cluster")
OWNER_ADVICE = {
    Owner.APPLICATION: (Action.NOTIFY_APPLICATION_OWNER,),
    Owner.PLATFORM: (Action.NOTIFY_PLATFORM_OWNER,),
    Owner.SHARED: (Action.NOTIFY_PLATFORM_OWNER, Action.NOTIFY_APPLICATION_OWNER),
    Owner.UNKNOWN: (Action.NOTIFY_PLATFORM_OWNER, Action.NOTIFY_APPLICATION_OWNER),
}


def recommend(conclusion: Conclusion, signals: SignalSet) -> tuple[Recommendation, ...]:
    """Return the recommendations in order: the class's own rules, then what is missing, then who must know."""
    found: list[Recommendation] = _undo(conclusion)
    best = conclusion.best
    if best is not None:
        found += [
            _by_rule(rule, conclusion, signals)
            for rule in best.trial.definition.actions
            if holds(rule, signals) is not None
        ]
    shared = signals.named(("common.*",))
    if shared:
        found = [_tell_of(shared[0]), *(each for each in found if each.action not in _NODE_ACTIONS)]
    if conclusion.diagnosis.verdict is Verdict.INCONCLUSIVE:
        found = [each for each in found if each.action not in _MACHINE_STOPPING]
        place = 0 if best is None or conclusion.diagnosis.failure_class == "unknown" else 1
        found.insert(min(place, len(found)), _collect(conclusion))
    found += [_notify(action, conclusion.diagnosis) for action in OWNER_ADVICE[conclusion.diagnosis.owner]]
    unique: dict[tuple[Action, str], Recommendation] = {}
    for item in found:
        unique.setdefault((item.action, item.target.key if item.action.executes else ""), item)
    return tuple(unique.values())


_MACHINE_STOPPING = frozenset({Action.DRAIN_NODE, Action.GPU_RESET, Action.NODE_REBOOT, Action.NODE_REPLACE})
"""Not to be done to a machine on a guess: where the cause is open, so is whether it is this machine's."""
_FABRIC = frozenset({"common.switch", "common.spine", "common.core_switch", "common.rail"})


def _tell_of(shared: Signal) -> Recommendation:
    """Return whom to tell of a shared cause: it forbids acting node by node (DESIGN §5, Common cause)."""
    return Recommendation(
        action=Action.ESCALATE_FABRIC_TEAM if shared.name in _FABRIC else Action.NOTIFY_PLATFORM_OWNER,
        target=shared.entity,
        why=_share_of(shared),
        reversible=True,
        evidence=shared.all_evidence[:3],
    )


def _share_of(shared: Signal) -> str:
    dimension = shared.name.removeprefix("common.").replace("_", " ")
    values = shared.attributes
    return (
        f"{values['affected']} of the {values['total']} nodes on {dimension} {shared.entity.name} failed together "
        f"({values['lift']} times the usual share, p = {values['p_value']})"
    )


def _undo(conclusion: Conclusion) -> list[Recommendation]:
    """Return the taking back of a blamed change; while only weak signs point to the class nothing is taken back."""
    change = conclusion.change
    if change is None or conclusion.diagnosis.verdict is Verdict.INCONCLUSIVE:
        return []
    when = f" ({change.stamp.raw})" if change.stamp.raw else ""
    return [
        Recommendation(
            action=Action.ROLLBACK_CHANGE,
            target=changed_object(change),
            why=f"it began with this change{when}; taking it back is the shortest way to a known good state",
            reversible=True,
            evidence=(change.evidence,),
        )
    ]


def warn(conclusion: Conclusion, signals: SignalSet) -> tuple[DoNot, ...]:
    """Return the tempting wrong actions of the class, each with its reason and the evidence behind it."""
    best = conclusion.best
    if best is None:
        return ()
    found: list[DoNot] = [
        DoNot(
            action="cordon_node",
            why=f"node by node: {_share_of(shared)}; look at what they share",
            evidence=_cited((shared,)),
        )
        for shared in signals.named(("common.*",))[:1]
    ]
    for rule in best.trial.definition.do_not:
        matched = holds(rule, signals)
        if matched is not None:
            why = fill(rule.why, matched or best.trial.signals)
            found.append(
                DoNot(
                    action=rule.action,
                    why=why,
                    evidence=_cited(matched or best.trial.signals[:1]),
                )
            )
    return tuple(found)


def _by_rule(rule: ActionRule, conclusion: Conclusion, signals: SignalSet) -> Recommendation:
    best = conclusion.best
    own = best.trial.signals if best is not None else ()
    matched = holds(rule, signals) or own
    target, spec = _target(rule, conclusion.diagnosis, own, signals), SPECS.get(rule.action)
    if spec is not None:
        target = aim(rule.action, target, own, signals)
    return Recommendation(
        action=rule.action,
        target=target,
        why=fill(rule.why, matched),
        reversible=spec is None or spec.reversible,
        evidence=_cited(matched[:3]),
        parameters=parameters_of(rule.action, conclusion.diagnosis, target, signals),
    )


def _target(rule: ActionRule, diagnosis: Diagnosis, own: Sequence[Signal], signals: SignalSet) -> EntityRef:
    if rule.action in _NODE_ACTIONS or rule.target == "node":
        return _node(diagnosis, own, signals)
    if rule.target == "cluster":
        return CLUSTER
    if rule.target != "culprit":
        wanted = EntityKind(rule.target)
        match = next(
            (s.entity for s in (*own, *signals.signals) if s.entity.kind is wanted),
            None,
        )
        if match is not None:
            return match
    return diagnosis.culprit or (own[0].entity if own else CLUSTER)


_NODE_ACTIONS = frozenset(
    {
        Action.CORDON_NODE,
        Action.UNCORDON_NODE,
        Action.DRAIN_NODE,
        Action.NODE_REBOOT,
        Action.NODE_REPLACE,
    }
)


def _node(diagnosis: Diagnosis, own: Sequence[Signal], signals: SignalSet) -> EntityRef:
    culprit = diagnosis.culprit
    if culprit is not None and culprit.kind is EntityKind.NODE:
        return culprit
    names = [
        culprit.node if culprit else None,
        *(node_of(s) for s in own),
        *(node_of(s) for s in signals.signals),
    ]
    name = next((name for name in names if name), None)
    return EntityRef(kind=EntityKind.NODE, name=name or UNNAMED)


def _collect(conclusion: Conclusion) -> Recommendation:
    wanted: list[str] = []
    open_ones: Sequence[Hypothesis] = [
        h for h in conclusion.hypotheses if h.standing is not Standing.RULED_OUT
    ]
    for hypothesis in open_ones[:4]:
        wanted += [f"{gap.source} ({gap.would_tell})" for gap in hypothesis.missing]
    asked = (
        "; ".join(list(dict.fromkeys(wanted))[:4])
        or "kernel log, events and pod statuses of the affected nodes over the window"
    )
    return Recommendation(
        action=Action.COLLECT_MORE_DATA,
        target=conclusion.diagnosis.culprit or CLUSTER,
        why=f"this would decide: {asked}",
        reversible=True,
        evidence=conclusion.diagnosis.evidence[:1],
    )


def _notify(action: Action, diagnosis: Diagnosis) -> Recommendation:
    return Recommendation(
        action=action,
        target=diagnosis.culprit or CLUSTER,
        why=_why_told(diagnosis),
        reversible=True,
        evidence=diagnosis.evidence[:1],
    )


def _why_told(diagnosis: Diagnosis) -> str:
    if diagnosis.verdict is Verdict.NO_FAULT:
        return "so that they know: nothing of theirs needs repair"
    return (
        "owner until decided"
        if diagnosis.owner is Owner.UNKNOWN
        else "the cause, if it holds, is theirs to mend"
    )


def _cited(signals: Sequence[Signal]) -> tuple[Evidence, ...]:
    return tuple({signal.evidence.id: signal.evidence for signal in signals}.values())
