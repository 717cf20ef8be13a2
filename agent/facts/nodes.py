"""Facts about one machine, from its Node object. Pure."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from firstfault.agent.facts.settings import CORDON_ANNOTATION, FactSettings
from firstfault.agent.facts.snapshot import ApiObject, Snapshot, absence_of, instant
from firstfault.policies.facts import NodeFacts
from firstfault.tools.readings import Json

CONTROL_PLANE_LABELS = (
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
)
"""Source: Kubernetes, Well-Known Labels, node-role.kubernetes.io/control-plane; `master` before 1.24."""
_CONTROL_PLANE_ROLES = frozenset({"control-plane", "master", "controlplane", "etcd"})


def node_facts(
    snapshot: Snapshot,
    name: str | None,
    as_of: datetime | None,
    settings: FactSettings,
    *,
    is_drained: bool | None,
) -> NodeFacts:
    """Return what is known of the node called `name`; nothing when its object was not seen."""
    node = snapshot.get("node", name) if name else None
    if node is None:
        return NodeFacts()
    return NodeFacts(
        observed_at=snapshot.observed_at,
        node_identity=node.name,
        node_role=role_of(node),
        cordon_owner=cordon_owner_of(node),
        node_drained=is_drained,
        lease_holder=lease_holder_of(snapshot, node.name, as_of, settings),
    )


def lease_holder_of(
    snapshot: Snapshot, node: str, as_of: datetime | None, settings: FactSettings
) -> str | None:
    """Return who holds a maintenance lease on the machine now, empty for nobody; None when one was not looked for.

    A lease without a holder, or that was not renewed in its time, is held by nobody. Source: Kubernetes API, LeaseSpec.
    """
    holders: list[str] = []
    for namespace, name in settings.leases_of(node):
        lease = snapshot.get("lease", name, namespace)
        if lease is None and absence_of("lease", name, namespace) not in snapshot.absent:
            return None
        if lease is not None:
            holder = _holder(lease, as_of)
            if holder is None:
                return None
            holders.append(holder)
    return next(filter(None, holders), "")


def _holder(lease: ApiObject, as_of: datetime | None) -> str | None:
    holder, lasts_s = lease.value("spec", "holderIdentity"), lease.value("spec", "leaseDurationSeconds")
    if not isinstance(holder, str) or not holder:
        return "" if lease.whole else None
    renewed = instant(lease.value("spec", "renewTime"))
    if renewed is None or as_of is None or not isinstance(lasts_s, int):
        return holder
    return holder if as_of < renewed + timedelta(seconds=lasts_s) else ""


def role_of(node: ApiObject) -> str | None:
    """Return `control_plane` or `worker`, from labels or from the ROLES column; None when neither is known."""
    labels = node.labels
    if labels:
        return "control_plane" if any(key in labels for key in CONTROL_PLANE_LABELS) else "worker"
    roles = node.columns.get("ROLES")
    if roles is None:
        return "worker" if labels is not None and node.whole else None
    return "control_plane" if set(roles.lower().split(",")) & _CONTROL_PLANE_ROLES else "worker"


def cordon_owner_of(node: ApiObject) -> str | None:
    """Return whose cordon the node carries: `firstfault`, `other` or `nobody`; None when it is not known."""
    closed = is_cordoned(node)
    if closed is None:
        return None
    if not closed:
        return "nobody"
    return "firstfault" if (node.annotations or {}).get(CORDON_ANNOTATION) else "other"


def is_cordoned(node: ApiObject) -> bool | None:
    """Return whether new pods are kept away; None when the object does not say."""
    value = node.value("spec", "unschedulable")
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.lower() == "true"
    status = node.columns.get("STATUS")
    if status is not None:
        return "SchedulingDisabled" in status
    return False if node.whole else None


def is_unavailable(node: ApiObject) -> bool | None:
    """Return whether the node takes no new GPU work: cordoned, or not Ready; None when neither is known."""
    ready = _ready(node)
    closed = is_cordoned(node)
    if ready is False or closed:
        return True
    return None if ready is None or closed is None else False


def _ready(node: ApiObject) -> bool | None:
    for condition in node.rows("status", "conditions"):
        if condition.get("type") == "Ready":
            return condition.get("status") == "True"
    status = node.columns.get("STATUS")
    if status is not None:
        return status.split(",")[0] == "Ready"
    return None


def is_gpu_node(node: ApiObject, settings: FactSettings) -> bool | None:
    """Return whether the node has, or should have, GPUs; None when neither its labels nor its capacity are known."""
    labels, capacity = node.labels, node.part("status", "capacity")
    if labels is None and capacity is None:
        return None
    by_label = any(key in (labels or {}) for key in settings.gpu_labels)
    return by_label or any(str((capacity or {}).get(name, "0")) != "0" for name in settings.gpu_resources)


def label_of(labels: Mapping[str, Json], keys: Iterable[str]) -> str | None:
    """Return the first label among `keys` that is set."""
    return next((str(labels[key]) for key in keys if labels.get(key)), None)
