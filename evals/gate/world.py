"""A world in which everything is known and nothing stands in the way: a situation takes away or spoils single things."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from firstfault.policies import (
    Action,
    Certainty,
    Facts,
    History,
    Limits,
    Mode,
    PastAction,
    Policies,
    PolicyDecision,
    Proposal,
    Target,
    TargetKind,
    decide,
)
from firstfault.policies.facts import (
    FACTS_OF_GROUP,
    GROUP_OF_FACT,
    CauseFacts,
    ChangeFacts,
    ControlFacts,
    FleetFacts,
    NodeFacts,
    WorkloadFacts,
)

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
NODE = "gpu-00003"
ALL_FACTS = tuple(name for names in FACTS_OF_GROUP.values() for name in names)
TARGETS = {
    Action.RESTART_POD: Target(kind=TargetKind.POD, name="trainer-0", namespace="research", node=NODE),
    Action.RESTART_JOB_FROM_CHECKPOINT: Target(
        kind=TargetKind.JOB, name="llm", namespace="research", workload_kind="JobSet"
    ),
    Action.ROLLBACK_CHANGE: Target(
        kind=TargetKind.WORKLOAD, name="driver", namespace="gpu-operator", workload_kind="DaemonSet"
    ),
}
CLASSES = {
    Action.RESTART_POD: "kubernetes.device_plugin",
    Action.NODE_REPLACE: "gpu.row_remap_failure",
    Action.ROLLBACK_CHANGE: "driver.bug",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What differs from the reference world. facts: by name, None for unknown; proposal: fields of the proposal."""

    action: Action
    mode: Mode = Mode.APPROVE
    approvers: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    proposal: Mapping[str, Any] = field(default_factory=dict[str, Any])
    past: tuple[PastAction, ...] = ()
    open_breakers: frozenset[str] | None = frozenset()


def word_on(situation: Situation, limits: Limits, policies: Policies) -> PolicyDecision:
    """Return the gate's word on a situation."""
    return decide(
        proposal_for(situation.action, **situation.proposal),
        known_facts(situation.mode, **{"approvers": situation.approvers, **situation.facts}),
        History.of(situation.past, situation.open_breakers),
        limits,
        policies,
    )


def proposal_for(action: Action, **changes: object) -> Proposal:
    """Return a well-founded proposal, with `changes` made to it."""
    base = Proposal(
        action=action,
        target=TARGETS.get(action, Target(kind=TargetKind.NODE, name=NODE)),
        failure_class=CLASSES.get(action, "gpu.firmware_hang"),
        certainty=Certainty.CONFIRMED,
        evidence=frozenset({"ev-000000000001", "ev-000000000002"}),
        families=frozenset({"driver", "api_objects"}),
        known_signature=True,
        incident_id="inc-1",
        proposed_at=NOW - timedelta(minutes=1),
        expires_at=NOW + timedelta(hours=1),
    )
    return replace(base, **changes)


def known_facts(mode: Mode, **changes: object) -> Facts:
    """Return facts that stand in nobody's way, with single facts replaced by name."""
    base = Facts(
        as_of=NOW,
        mode=mode,
        node=NodeFacts(
            observed_at=NOW,
            node_identity=NODE,
            node_role="worker",
            cordon_owner="firstfault",
            node_drained=True,
            lease_holder="",
        ),
        workload=_workload(),
        fleet=_fleet(),
        cause=CauseFacts(observed_at=NOW, shared_cause=False, cheaper_remedy_failed=True),
        change=ChangeFacts(observed_at=NOW, change_revertible=True, change_touches_storage=False),
        control=ControlFacts(
            observed_at=NOW,
            kill_switch=False,
            freeze_active=False,
            planned_work=False,
            target_opted_out=False,
            controller_ready=True,
        ),
    )
    return with_facts(base, **changes)


def _workload() -> WorkloadFacts:
    return WorkloadFacts(
        observed_at=NOW,
        pdbs_without_room=0,
        unmanaged_pods=0,
        stateful_pods=0,
        protected_pods=0,
        checkpoint_age_s=600,
        longest_grace_s=30,
        crash_looping=False,
        job_controller="JobSet",
        queue_admits_job=True,
    )


def _fleet() -> FleetFacts:
    return FleetFacts(
        observed_at=NOW,
        pool="h100",
        rack="r1",
        switch="leaf0",
        job="research/llm",
        cluster_nodes=200,
        cluster_unavailable_after=1,
        pool_nodes=100,
        pool_unavailable_after=1,
        rack_nodes=8,
        rack_unavailable_after=1,
        switch_nodes=16,
        switch_unavailable_after=1,
        job_nodes=16,
        job_unavailable_after=1,
    )


def with_facts(base: Facts, **changes: object) -> Facts:
    """Return `base` with facts, or fields of the facts as a whole, replaced by name.

    Raises TypeError for a name that is neither.
    """
    groups: dict[str, dict[str, object]] = {}
    whole: dict[str, object] = {}
    for name, value in changes.items():
        group = GROUP_OF_FACT.get(name)
        if group is None:
            whole[name] = value
        else:
            groups.setdefault(group, {})[name] = value
    return replace(
        base, **whole, **{group: replace(getattr(base, group), **parts) for group, parts in groups.items()}
    )
