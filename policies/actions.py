"""The closed set of what can be recommended (DESIGN §7): actions that code can execute, and advice that executes nothing.

Deleting data, claims, namespaces or node objects is not in the set and cannot be added by configuration.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from firstfault.policies.parameters import AVOID_NODE, GPU_PCI, GPU_UUID
from firstfault.policies.targets import TargetKind


class Action(StrEnum):
    """Everything a recommendation may name."""

    CORDON_NODE = "cordon_node"
    UNCORDON_NODE = "uncordon_node"
    DRAIN_NODE = "drain_node"
    RESTART_POD = "restart_pod"
    RESTART_JOB_FROM_CHECKPOINT = "restart_job_from_checkpoint"
    GPU_RESET = "gpu_reset"
    NODE_REBOOT = "node_reboot"
    NODE_REPLACE = "node_replace"
    ROLLBACK_CHANGE = "rollback_change"
    NONE_WAIT = "none_wait"
    COLLECT_MORE_DATA = "collect_more_data"
    NOTIFY_APPLICATION_OWNER = "notify_application_owner"
    NOTIFY_PLATFORM_OWNER = "notify_platform_owner"
    ESCALATE_FABRIC_TEAM = "escalate_fabric_team"
    ESCALATE_STORAGE_TEAM = "escalate_storage_team"
    FIX_CONFIGURATION = "fix_configuration"
    FREE_DISK = "free_disk"
    RESTART_DAEMON = "restart_daemon"
    OPEN_VENDOR_TICKET = "open_vendor_ticket"

    @property
    def executes(self) -> bool:
        """Return whether code could carry it out; advice never does."""
        return self in EXECUTABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionSpec:
    """What the gate must know about one executable action.

    targets: the kinds of target it can be aimed at.
    reversible: the state before can be brought back, by undoing it or by the controllers of what it touched.
    disruptive: running work stops. needs_controller: another controller's resource carries it out, not our own calls.
    recovery: it gives capacity back; breakers and rates never hold it up.
    requires: the facts without which it is denied, whatever the policies read (they can only add to this).
    parameters: the names of what may be said besides the target; nothing else may.
    """

    targets: frozenset[TargetKind]
    reversible: bool
    disruptive: bool
    needs_controller: bool = False
    recovery: bool = False
    requires: tuple[str, ...] = ()
    parameters: frozenset[str] = frozenset()


_NODE = frozenset({TargetKind.NODE})
_NODE_OR_GPU = frozenset({TargetKind.NODE, TargetKind.GPU})
_JOB = frozenset({TargetKind.JOB, TargetKind.WORKLOAD})
_SERVICE = ("kill_switch", "freeze_active", "target_opted_out")
_SCOPES = ("pool", "rack", "switch", "job")
_NODE_BASE = (*_SERVICE, *_SCOPES, "node_identity", "node_role", "shared_cause", "planned_work")
_WORKLOAD = (
    "pdbs_without_room",
    "unmanaged_pods",
    "stateful_pods",
    "protected_pods",
    "checkpoint_age_s",
)

SPECS: Mapping[Action, ActionSpec] = MappingProxyType(
    {
        Action.CORDON_NODE: ActionSpec(targets=_NODE, reversible=True, disruptive=False, requires=_NODE_BASE),
        Action.UNCORDON_NODE: ActionSpec(
            targets=_NODE,
            reversible=True,
            disruptive=False,
            recovery=True,
            requires=(*_SERVICE, "node_identity", "node_role", "cordon_owner"),
        ),
        Action.DRAIN_NODE: ActionSpec(
            targets=_NODE,
            reversible=True,
            disruptive=True,
            requires=(*_NODE_BASE, *_WORKLOAD, "longest_grace_s"),
        ),
        Action.RESTART_POD: ActionSpec(
            targets=frozenset({TargetKind.POD}),
            reversible=True,
            disruptive=True,
            requires=(*_SERVICE, *_WORKLOAD, "job", "crash_looping"),
        ),
        Action.RESTART_JOB_FROM_CHECKPOINT: ActionSpec(
            targets=_JOB,
            reversible=True,
            disruptive=True,
            requires=(
                *_SERVICE,
                "job",
                "job_controller",
                "checkpoint_age_s",
                "protected_pods",
                "queue_admits_job",
            ),
            parameters=frozenset({AVOID_NODE}),
        ),
        Action.GPU_RESET: ActionSpec(
            targets=_NODE_OR_GPU,
            reversible=True,
            disruptive=True,
            needs_controller=True,
            requires=(*_NODE_BASE, *_WORKLOAD, "node_drained", "controller_ready"),
            parameters=frozenset({GPU_UUID, GPU_PCI}),
        ),
        Action.NODE_REBOOT: ActionSpec(
            targets=_NODE,
            reversible=True,
            disruptive=True,
            needs_controller=True,
            requires=(*_NODE_BASE, *_WORKLOAD, "node_drained", "controller_ready"),
        ),
        Action.NODE_REPLACE: ActionSpec(
            targets=_NODE,
            reversible=False,
            disruptive=True,
            needs_controller=True,
            requires=(
                *_NODE_BASE,
                *_WORKLOAD,
                "node_drained",
                "controller_ready",
                "cheaper_remedy_failed",
            ),
        ),
        Action.ROLLBACK_CHANGE: ActionSpec(
            targets=frozenset({TargetKind.WORKLOAD}),
            reversible=True,
            disruptive=True,
            requires=(
                *_SERVICE,
                "change_revertible",
                "change_touches_storage",
                "protected_pods",
            ),
        ),
    }
)
"""Every executable action; what is not here is advice."""

EXECUTABLE = frozenset(SPECS)
