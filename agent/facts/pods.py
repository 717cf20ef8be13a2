"""What one Pod object says about itself: whose it is, what it keeps, how long it takes to stop. Pure."""

from collections.abc import Mapping
from typing import cast

from firstfault.agent.facts.nodes import label_of
from firstfault.agent.facts.settings import OPT_OUT, FactSettings
from firstfault.agent.facts.snapshot import ApiObject
from firstfault.tools.readings import Json

DEFAULT_GRACE_S = 30
"""Source: Kubernetes, Pod Lifecycle, Termination of Pods."""
MIRROR = "kubernetes.io/config.mirror"
"""Source: Kubernetes, Well-Known Annotations: the pod is a static pod of its node."""
_ENDED = frozenset({"Succeeded", "Failed"})


def has_ended(pod: ApiObject) -> bool:
    """Return whether nothing of the pod runs any more."""
    phase = pod.value("status", "phase") or pod.columns.get("STATUS")
    return phase in _ENDED or phase in {"Completed", "Error", "Evicted"}


def node_of(pod: ApiObject) -> str | None:
    """Return the machine the pod was bound to, or None."""
    value = pod.value("spec", "nodeName") or pod.columns.get("NODE")
    return value if isinstance(value, str) and value not in {"", "<none>"} else None


def owner_of(pod: ApiObject) -> tuple[str, str] | None:
    """Return kind and name of the controller that would make the pod anew, or None when nothing would."""
    owners = pod.rows("metadata", "ownerReferences")
    controlling = [owner for owner in owners if owner.get("controller") is True] or [
        owner for owner in owners if "controller" not in owner
    ]
    return (str(controlling[0].get("kind", "")), str(controlling[0].get("name", ""))) if controlling else None


def stays_on_drain(pod: ApiObject) -> bool:
    """Return whether a drain leaves the pod alone: daemons, static pods, and what has ended."""
    owner = owner_of(pod)
    is_static = MIRROR in (pod.annotations or {}) or (owner is not None and owner[0] == "Node")
    return has_ended(pod) or is_static or (owner is not None and owner[0] == "DaemonSet")


def is_stateful(pod: ApiObject, local_claims: frozenset[str]) -> bool:
    """Return whether the pod keeps data that its successor may not find: a claim, or files on the node.

    An emptyDir in memory is scratch by definition; a hostPath that is read-only keeps nothing.
    """
    owner = owner_of(pod)
    if owner is not None and owner[0] == "StatefulSet":
        return True
    return any(_keeps_data(volume, local_claims) for volume in pod.rows("spec", "volumes"))


def _keeps_data(volume: Mapping[str, Json], local_claims: frozenset[str]) -> bool:
    claim, scratch = volume.get("persistentVolumeClaim"), volume.get("emptyDir")
    if isinstance(claim, dict):
        return claim.get("claimName") in local_claims or claim.get("readOnly") is not True
    if isinstance(scratch, dict):
        return scratch.get("medium") != "Memory"
    return "ephemeral" in volume


def grace_s(pod: ApiObject) -> int:
    """Return the seconds the pod may take to stop; the pre-stop hook runs inside the grace period.

    Source: Kubernetes, Container Lifecycle Hooks: the countdown begins before the hook.
    """
    value = pod.value("spec", "terminationGracePeriodSeconds")
    return value if isinstance(value, int) and not isinstance(value, bool) else DEFAULT_GRACE_S


def is_crash_looping(pod: ApiObject) -> bool | None:
    """Return whether a container waits in CrashLoopBackOff; None when the statuses are not known."""
    statuses = pod.rows("status", "containerStatuses")
    if not statuses:
        shown = pod.columns.get("STATUS")
        return None if shown is None else "CrashLoopBackOff" in shown
    return any(_waiting_reason(status) == "CrashLoopBackOff" for status in statuses)


def _waiting_reason(status: Mapping[str, Json]) -> Json:
    state = status.get("state")
    waiting = state.get("waiting") if isinstance(state, dict) else None
    return waiting.get("reason") if isinstance(waiting, dict) else None


def is_protected(pod: ApiObject, settings: FactSettings) -> bool:
    """Return whether the pod belongs to a protected namespace or to an owner who opted out."""
    return pod.namespace in settings.protected_namespaces or OPT_OUT in {
        **(pod.labels or {}),
        **(pod.annotations or {}),
    }


def job_of(pod: ApiObject, settings: FactSettings) -> str | None:
    """Return `namespace/name` of the job the pod is part of, or None when it is part of none."""
    name = label_of(pod.labels or {}, settings.job_labels)
    return f"{pod.namespace or ''}/{name}" if name else None


def matches(selector: Mapping[str, Json] | None, labels: Mapping[str, Json]) -> bool:
    """Return whether a label selector picks `labels`. An operator that is not known picks everything: the careful side.

    Source: Kubernetes API, LabelSelector; an empty selector of a PodDisruptionBudget (policy/v1) picks every pod.
    """
    if selector is None:
        return False
    wanted = selector.get("matchLabels")
    if isinstance(wanted, dict) and any(labels.get(key) != value for key, value in wanted.items()):
        return False
    rules = selector.get("matchExpressions")
    return (
        all(_holds(cast("Mapping[str, Json]", rule), labels) for rule in rules)
        if isinstance(rules, list)
        else True
    )


def _holds(rule: Mapping[str, Json], labels: Mapping[str, Json]) -> bool:
    key, values = str(rule.get("key")), rule.get("values")
    allowed = values if isinstance(values, list) else []
    checks = {
        "In": labels.get(key) in allowed,
        "NotIn": labels.get(key) not in allowed,
        "Exists": key in labels,
        "DoesNotExist": key not in labels,
    }
    return checks.get(str(rule.get("operator")), True)
