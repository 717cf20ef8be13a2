"""What the gate must know before anything may run. None means unknown, and unknown is never zero.

Facts come in groups that are read together; each group says when it was read. The field name is the fact's name in
policies (`context.facts.node_role`) and in denials (`facts.missing.node_role`); names are unique over all groups.
"""

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import cast

from firstfault.policies.canonical import digest
from firstfault.policies.modes import Mode

Scalar = bool | int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts:
    """About the machine that is the target, or that the target sits on.

    node_identity: the name the API object itself carries. node_role: `worker` or `control_plane`.
    cordon_owner: `nobody`, `firstfault` or `other`. node_drained: nothing but daemons runs there. lease_holder: the
    controller that keeps the machine to itself for maintenance, empty for none.
    """

    observed_at: datetime | None = None
    node_identity: str | None = None
    node_role: str | None = None
    cordon_owner: str | None = None
    node_drained: bool | None = None
    lease_holder: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadFacts:
    """About the pods that the action would stop: all of a node's, or the one that is the target.

    pdbs_without_room: disruption budgets that allow fewer evictions than needed. unmanaged_pods: nothing would bring them
    back. stateful_pods: with a claim, a local volume or an emptyDir on disk. checkpoint_age_s: of the oldest checkpoint among
    the jobs that would stop, 0 when no job would; checkpoint_location: where it lies. longest_grace_s: grace period and
    pre-stop hook together.
    """

    observed_at: datetime | None = None
    pdbs_without_room: int | None = None
    unmanaged_pods: int | None = None
    stateful_pods: int | None = None
    protected_pods: int | None = None
    checkpoint_age_s: int | None = None
    checkpoint_location: str | None = None
    longest_grace_s: int | None = None
    crash_looping: bool | None = None
    job_controller: str | None = None
    queue_admits_job: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetFacts:
    """How many GPU nodes there are in each scope, and how many would be unavailable after the action.

    A scope that the cluster does not have (no node carries a rack label) is 0 of 0; a scope that the target should be in and
    whose label is missing is unknown. pool, rack, switch, job: the names of the scopes the target is in, empty for none.
    """

    observed_at: datetime | None = None
    pool: str | None = None
    rack: str | None = None
    switch: str | None = None
    job: str | None = None
    cluster_nodes: int | None = None
    cluster_unavailable_after: int | None = None
    pool_nodes: int | None = None
    pool_unavailable_after: int | None = None
    rack_nodes: int | None = None
    rack_unavailable_after: int | None = None
    switch_nodes: int | None = None
    switch_unavailable_after: int | None = None
    job_nodes: int | None = None
    job_unavailable_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseFacts:
    """Whether the target is one of several that share a cause.

    shared_cause_nodes: machines with the fault. cheaper_remedy_failed: a reset or reboot was done and the fault came back.
    """

    observed_at: datetime | None = None
    shared_cause: bool | None = None
    shared_cause_by: str | None = None
    cheaper_remedy_failed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFacts:
    """About the change that would be rolled back."""

    observed_at: datetime | None = None
    change_revertible: bool | None = None
    change_touches_storage: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlFacts:
    """What people and other controllers said.

    kill_switch: any of file, environment and database stops everything. planned_work: announced for the target now.
    controller_ready: the resource that would carry the action out is served and its controller is alive.
    """

    observed_at: datetime | None = None
    kill_switch: bool | None = None
    freeze_active: bool | None = None
    planned_work: bool | None = None
    target_opted_out: bool | None = None
    controller_ready: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything known for one proposal, as of one moment.

    as_of: the moment that ages, expiries and windows are judged at (aware UTC); None is unknown and denies.
    mode: how far this (failure class × action) may go. approvers: distinct people whose valid approval of exactly this
    decision was checked by the caller.
    """

    as_of: datetime | None = None
    mode: Mode = Mode.SHADOW
    approvers: int = 0
    node: NodeFacts = field(default_factory=NodeFacts)
    workload: WorkloadFacts = field(default_factory=WorkloadFacts)
    fleet: FleetFacts = field(default_factory=FleetFacts)
    cause: CauseFacts = field(default_factory=CauseFacts)
    change: ChangeFacts = field(default_factory=ChangeFacts)
    control: ControlFacts = field(default_factory=ControlFacts)

    def known(self) -> dict[str, Scalar]:
        """Return the facts that are known, by name."""
        found: dict[str, Scalar] = {}
        for group, fields_of in _FIELDS_OF.items():
            values = cast("tuple[Scalar | None, ...]", fields_of(getattr(self, group)))
            named = zip(FACTS_OF_GROUP[group], values, strict=True)
            found.update((name, value) for name, value in named if value is not None)
        return found

    def observed_at(self, group: str) -> datetime | None:
        """Return when the facts of `group` were read."""
        return cast("datetime | None", getattr(getattr(self, group), "observed_at"))  # noqa: B009  # the type is not known here

    @property
    def digest(self) -> str:
        """Return the digest of every fact and every time."""
        return self.digest_of(self.known())

    def digest_of(self, known: Mapping[str, Scalar]) -> str:
        """Return the digest, given what `known` returned."""
        times = {group: self.observed_at(group) for group in GROUPS}
        return digest([self.as_of, self.mode, self.approvers, times, known])

    def bound(self, names: Collection[str]) -> dict[str, Scalar]:
        """Return those of the facts `names` that an approval is bound to: all but clocks and counters.

        Ages, and counts of other machines, move by themselves; they are judged again when the button is pressed and when the
        executor runs. Everything else that changes makes the approval void. A cordon of our own counts as no cordon, so that
        the first step of a repair does not void the approval of the next.
        """
        return bound_facts(self.known(), names)


_GROUP_TYPES = {
    "node": NodeFacts,
    "workload": WorkloadFacts,
    "fleet": FleetFacts,
    "cause": CauseFacts,
    "change": ChangeFacts,
    "control": ControlFacts,
}
GROUPS = tuple(_GROUP_TYPES)
FACTS_OF_GROUP = {
    group: tuple(item.name for item in dataclasses.fields(kind) if item.name != "observed_at")
    for group, kind in _GROUP_TYPES.items()
}
_FIELDS_OF = {group: attrgetter(*names) for group, names in FACTS_OF_GROUP.items()}
GROUP_OF_FACT = {name: group for group, names in FACTS_OF_GROUP.items() for name in names}
MOVING = frozenset({"checkpoint_age_s", *FACTS_OF_GROUP["fleet"]})
"""Facts that change without anybody doing anything to the target."""


def bound_facts(known: Mapping[str, Scalar], names: Collection[str]) -> dict[str, Scalar]:
    """Return what `Facts.bound` returns, of facts that are known already."""
    bound = {name: value for name, value in known.items() if name in names and name not in MOVING}
    if bound.get("cordon_owner") == "firstfault":
        bound["cordon_owner"] = "nobody"
    return bound
