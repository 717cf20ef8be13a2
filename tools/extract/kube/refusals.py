"""Which nodes a predicate of the scheduler refuses, judged from the objects themselves. Pure.

Source: Kubernetes scheduler, filter plugins NodeUnschedulable, TaintToleration, NodeAffinity, NodeResourcesFit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firstfault.tools.extract.kube.containers import pod_spec_path
from firstfault.tools.extract.kube.machines import Machine, requests_of
from firstfault.tools.extract.kube.selectors import affinity_fits, maps, mismatches, text_map, untolerated
from firstfault.tools.readings import KubeObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One node that refuses a pod, with the fields of both that do not fit.

    field: the pod's field at fault (`nodeSelector`, `affinity`, `tolerations`, `resources`), empty for node-side reasons.
    never_fits: the request is larger than the node is when empty.
    """

    machine: Machine
    field: str = ""
    detail: str = ""
    pod_path: str = ""
    node_path: str | None = None
    never_fits: bool = False


def refused_by(
    predicate: str, detail: str, pod: KubeObject | None, nodes: Sequence[Machine]
) -> tuple[Finding, ...]:
    """Return the known nodes that refuse the pod by this predicate; empty when that cannot be told from the objects."""
    judge = _JUDGES.get(predicate)
    if judge is None:
        return ()
    return tuple(found for machine in nodes if (found := judge(pod, machine, detail)) is not None)


def _cordon(_pod: KubeObject | None, machine: Machine, _detail: str) -> Finding | None:
    if not machine.is_cordoned:
        return None
    path = "spec.unschedulable" if machine.node.get("spec.unschedulable") is True else ""
    return Finding(machine=machine, node_path=path, detail="unschedulable")


def _not_ready(_pod: KubeObject | None, machine: Machine, _detail: str) -> Finding | None:
    if machine.is_ready is not False:
        return None
    return Finding(machine=machine, node_path=condition_path(machine.node, "Ready"), detail="not ready")


def _pressure(_pod: KubeObject | None, machine: Machine, detail: str) -> Finding | None:
    kinds = {"disk": "DiskPressure", "memory": "MemoryPressure", "pid": "PIDPressure"}
    wanted = [kinds[detail]] if detail in kinds else list(kinds.values())
    for condition in maps(machine.node.get("status.conditions")):
        if condition.get("type") in wanted and condition.get("status") == "True":
            return Finding(
                machine=machine,
                node_path=condition_path(machine.node, str(condition["type"])),
                detail=str(condition["type"]),
            )
    return None


def _taint(pod: KubeObject | None, machine: Machine, detail: str) -> Finding | None:
    if pod is None or pod.get(pod_spec_path(pod)) is None:
        return None
    missing = untolerated(machine.taints, maps(pod.get(f"{pod_spec_path(pod)}.tolerations")))
    if not missing or (detail and detail not in missing):
        return None
    key = detail or missing[0]
    place = next(i for i, taint in enumerate(machine.taints) if str(taint.get("key")) == key)
    return Finding(machine=machine, field="tolerations", detail=key, node_path=f"spec.taints.{place}")


def _selector(pod: KubeObject | None, machine: Machine, _detail: str) -> Finding | None:
    if pod is None or not machine.labels:
        return None
    base = pod_spec_path(pod)
    wanted = text_map(pod.get(f"{base}.nodeSelector"))
    absent = mismatches(wanted, machine.labels)
    if absent:
        key = absent[0]
        path = f"{base}.nodeSelector.[{key}]" if "." in key else f"{base}.nodeSelector.{key}"
        return Finding(
            machine=machine,
            field="nodeSelector",
            detail=f"{key}={wanted[key]}",
            pod_path=path,
            node_path="metadata.labels",
        )
    terms = f"{base}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
    if not affinity_fits(pod.get(terms), machine.labels, machine.name):
        return Finding(
            machine=machine,
            field="affinity",
            detail="node affinity",
            pod_path=terms,
            node_path="metadata.labels",
        )
    return None


def _resource(pod: KubeObject | None, machine: Machine, detail: str) -> Finding | None:
    if pod is None:
        return None
    asked = requests_of(pod)
    for resource in [detail] if detail else sorted(asked):
        amount, free, offered = asked.get(resource), machine.free(resource), machine.offered(resource)
        if amount is None or offered is None:
            continue
        if amount > offered or (free is not None and amount > free):
            return Finding(
                machine=machine,
                field="resources",
                detail=resource,
                pod_path=_request_path(pod, resource),
                node_path=_allocatable_path(resource),
                never_fits=amount > offered,
            )
    return None


def _request_path(pod: KubeObject, resource: str) -> str:
    key = f"[{resource}]" if "." in resource else resource
    base = pod_spec_path(pod)
    for index, _ in enumerate(pod.items(f"{base}.containers")):
        for part in ("requests", "limits"):
            path = f"{base}.containers.{index}.resources.{part}.{key}"
            if pod.get(path) is not None:
                return path
    return f"{base}.containers"


def _allocatable_path(resource: str) -> str:
    key = f"[{resource}]" if "." in resource else resource
    return f"status.allocatable.{key}"


def condition_path(node: KubeObject, kind: str) -> str:
    """Return the path of a condition of this type, or of the conditions."""
    for index, condition in enumerate(maps(node.get("status.conditions"))):
        if condition.get("type") == kind:
            return f"status.conditions.{index}"
    return "status.conditions" if node.get("status.conditions") else ""


_JUDGES: dict[str, Callable[[KubeObject | None, Machine, str], Finding | None]] = {
    "cordon": _cordon,
    "not_ready": _not_ready,
    "pressure": _pressure,
    "taint": _taint,
    "selector": _selector,
    "resource": _resource,
}
