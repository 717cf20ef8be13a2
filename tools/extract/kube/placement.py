"""Why a pod has no node: the scheduler's message taken apart, then checked against the nodes that were read. Pure.

The message says which predicate refused how many nodes; labels, taints, cordons and free amounts say whether that is so
and which field is at fault. What both agree on carries `spec_against_status`.
"""

from collections.abc import Iterator, Sequence

from firstfault.tools.evidence import Evidence
from firstfault.tools.extract.kube.cluster import Cluster, entity_of, is_same
from firstfault.tools.extract.kube.machines import Machine, machines
from firstfault.tools.extract.kube.marks import SPEC_AGAINST_STATUS, Facts, mark, mark_event
from firstfault.tools.extract.kube.refusals import Finding, refused_by
from firstfault.tools.extract.kube.scheduler_messages import Refusal, deciding, parse_refusals
from firstfault.tools.readings import KubeEvent, KubeObject
from firstfault.tools.signals import Signal, Value

_FAILED = frozenset({"FailedScheduling", "Unschedulable", "FailedBinding", "NotTriggerScaleUp"})
_NODE_PREDICATES = frozenset({"cordon", "not_ready", "pressure"})


def placements(cluster: Cluster) -> Iterator[Signal]:
    """Yield why pods could not be placed, one signal per predicate (`kube.sched.<predicate>`)."""
    nodes = machines(cluster)
    spoken: set[str] = set()
    for event in cluster.events:
        if event.reason != "FailedScheduling":
            continue
        refusals = parse_refusals(event.message)
        if refusals is None or not refusals.refusals:
            continue
        pod = _pod_of(event, cluster)
        spoken.add(pod.name if pod else (event.involved.name if event.involved else ""))
        yield from _from_event(event, pod, refusals.refusals, refusals.total, nodes)
    for pod in cluster.fullest("pod"):
        if _waits_for_a_node(pod) and pod.name not in spoken:
            said = tuple(_from_condition(pod, nodes))
            yield from said or _from_objects(pod, nodes)


def _pod_of(event: KubeEvent, cluster: Cluster) -> KubeObject | None:
    if event.involved is None:
        return None
    return next((p for p in cluster.fullest("pod") if is_same(entity_of(p), event.involved)), None)


def _waits_for_a_node(pod: KubeObject) -> bool:
    if pod.text("spec.nodeName") or pod.text("metadata.deletionTimestamp"):
        return False
    return pod.text("status.phase", pod.columns.get("STATUS", "")) == "Pending"


def _from_event(
    event: KubeEvent,
    pod: KubeObject | None,
    refusals: Sequence[Refusal],
    total: int | None,
    nodes: Sequence[Machine],
) -> Iterator[Signal]:
    chosen = deciding(refusals)
    for refusal in refusals:
        found = refused_by(refusal.predicate, refusal.detail, pod, nodes) if refusal in chosen else ()
        yield mark_event(
            event,
            f"kube.sched.{refusal.predicate}",
            entity=event.involved,
            also=_cited(pod, refusal, found),
            deciding=refusal in chosen,
            detail=refusal.detail or None,
            nodes=refusal.nodes,
            total=total,
            every=refusal.nodes is not None and refusal.nodes == total,
            message=event.message,
            facts=_named(refusal, found, pod),
        )


def _from_condition(pod: KubeObject, nodes: Sequence[Machine]) -> Iterator[Signal]:
    """Yield from the PodScheduled condition's message, which outlives the event."""
    for index, condition in enumerate(pod.items("status.conditions")):
        message = str(condition.get("message") or "")
        if condition.get("type") != "PodScheduled" or not message:
            continue
        refusals = parse_refusals(message)
        if refusals is None:
            continue
        chosen = deciding(refusals.refusals)
        for refusal in refusals.refusals:
            found = refused_by(refusal.predicate, refusal.detail, pod, nodes) if refusal in chosen else ()
            yield mark(
                pod,
                f"status.conditions.{index}.message",
                f"kube.sched.{refusal.predicate}",
                also=_cited(pod, refusal, found),
                deciding=refusal in chosen,
                detail=refusal.detail or None,
                nodes=refusal.nodes,
                total=refusals.total,
                message=message,
                facts=_named(refusal, found, pod),
            )


def _from_objects(pod: KubeObject, nodes: Sequence[Machine]) -> Iterator[Signal]:
    """Yield what the objects alone say when no scheduler message was read and every known node refuses."""
    known = [machine for machine in nodes if machine.known]
    if not known or not pod.get("spec.containers"):
        return
    per_node = [
        {
            p: refused_by(p, "", pod, [machine])
            for p in ("cordon", "taint", "selector", "resource", "not_ready")
        }
        for machine in known
    ]
    reasons = [{name for name, found in refused.items() if found} for refused in per_node]
    if not all(reasons):
        return
    fewest = min(len(names) for names in reasons)
    for name in sorted(set[str]().union(*(names for names in reasons if len(names) == fewest))):
        found = [item for refused in per_node for item in refused[name]]
        refusal = Refusal(predicate=name, nodes=len(found), detail=found[0].detail if found else "")
        path = next((item.pod_path for item in found if item.pod_path), "status.phase")
        yield mark(
            pod,
            path,
            f"kube.sched.{name}",
            also=_cited(pod, refusal, found),
            deciding=True,
            detail=refusal.detail or None,
            nodes=len(found),
            total=len(known),
            facts=_named(refusal, found, pod),
        )


def _cited(pod: KubeObject | None, refusal: Refusal, found: Sequence[Finding]) -> list[Evidence]:
    cited = [item.machine.node.cite(item.node_path) for item in found[:3] if item.node_path is not None]
    paths = dict.fromkeys(item.pod_path for item in found if item.pod_path)
    if pod is not None:
        cited = [pod.cite(path) for path in paths] + cited
        if not found and refusal.predicate == "resource":
            cited += [pod.cite(path) for path in _request_paths(pod, refusal.detail)]
    return cited


def _request_paths(pod: KubeObject, resource: str) -> list[str]:
    key = f"[{resource}]" if "." in resource else resource
    paths = [
        f"spec.containers.{i}.resources.requests.{key}" for i, _ in enumerate(pod.items("spec.containers"))
    ]
    return [path for path in paths if pod.get(path) is not None]


def _named(refusal: Refusal, found: Sequence[Finding], pod: KubeObject | None) -> Facts:
    """Return the attributes that reading the objects against each other adds."""
    named: dict[str, Value | None] = {
        "taint": refusal.detail if refusal.predicate == "taint" else None,
        "resource": refusal.detail if refusal.predicate == "resource" else None,
    }
    if found:
        named[SPEC_AGAINST_STATUS] = all_known = _all_known(refusal, found)
        named["field"] = next((item.field for item in found if item.field), None)
        named["node"] = found[0].machine.name if refusal.predicate in _NODE_PREDICATES else None
        named["too_large"] = (
            all_known and refusal.predicate == "resource" and all(item.never_fits for item in found)
        )
        named["detail_seen"] = found[0].detail or None
    if pod is not None:
        named["workload"] = controller_of(pod)
    return named


def _all_known(refusal: Refusal, found: Sequence[Finding]) -> bool:
    """Return whether as many nodes that were read refuse as the scheduler counts: one of many bears no witness for all."""
    return refusal.nodes is None or len({item.machine.name for item in found}) >= refusal.nodes


def controller_of(pod: KubeObject) -> str | None:
    """Return `Kind/name` of what owns a pod, None when it has no owner or it was not read."""
    owners = pod.items("metadata.ownerReferences")
    return f"{owners[0].get('kind')}/{owners[0].get('name')}" if owners else None
