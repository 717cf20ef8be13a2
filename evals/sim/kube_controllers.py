"""Reactions as controllers have them: pods come back elsewhere, jobs suspend and resume, repairs say that they are done."""

import copy

from firstfault.evals.sim.kube_json import Body
from firstfault.evals.sim.kube_kinds import BUILT_IN, CUSTOM, ServedKind
from firstfault.evals.sim.kube_store import Happening, ObjectStore

PODS = next(kind for kind in BUILT_IN if kind.plural == "pods")
NODES = next(kind for kind in BUILT_IN if kind.plural == "nodes")
REPAIRS = {"RebootNode": "NodeReady", "GPUReset": "Complete", "TerminateNode": "NodeTerminated"}
"""Resource of a repair → the condition that says it is done. Source: NVSentinel janitor API v1alpha1."""
_JOBS = {
    kind.kind: kind for kind in (*BUILT_IN, *CUSTOM) if kind.kind in {"Job", "JobSet", "PyTorchJob", "MPIJob"}
}
_RECREATE = frozenset({"ReplicaSet", "StatefulSet", "DaemonSet"})


def recreate_pods(store: ObjectStore, happening: Happening) -> None:
    """Make a new pod where one with a controller of an endless kind was taken away, on a node that takes pods."""
    pod = happening.object
    owner = _controller_of(pod)
    if happening.type != "DELETED" or happening.kind.plural != "pods" or owner.get("kind") not in _RECREATE:
        return
    stays = owner["kind"] == "StatefulSet"
    fresh = _fresh(pod, pod["metadata"]["name"] if stays else f"{owner['name']}-{store.version:x}")
    fresh["spec"]["nodeName"] = _open_node(store)
    store.create(PODS, fresh, pod["metadata"].get("namespace", ""))


def run_jobs(store: ObjectStore, happening: Happening) -> None:
    """Take a job's pods away when it is suspended, and make them anew when it goes on."""
    kind = _JOBS.get(happening.kind.kind)
    if kind is None or happening.type == "DELETED":
        return
    job = happening.object
    name, namespace = job["metadata"]["name"], job["metadata"].get("namespace", "")
    pods = [pod for pod in store.all(PODS, namespace) if _controller_of(pod).get("name") == name]
    if _is_suspended(job):
        for pod in pods:
            store.delete(PODS, pod["metadata"]["name"], namespace)
        return
    wanted = job["metadata"].get("annotations", {}).get("sim/pods", "")
    if wanted and not pods:
        for rank in range(int(wanted)):
            store.create(PODS, _worker(store, kind, job, rank), namespace)


def queue_jobs(store: ObjectStore, happening: Happening) -> None:
    """Suspend a job when its Workload is set inactive, and let it go on when it is active again, as Kueue does."""
    if happening.kind.kind != "Workload" or happening.type == "DELETED":
        return
    is_active = happening.object["spec"].get("active", True)
    owner = _controller_of(happening.object)
    kind = _JOBS.get(owner.get("kind", ""))
    if kind is not None:
        job = store.get(kind, owner["name"], happening.object["metadata"]["namespace"])
        job["spec"]["suspend"] = not is_active
        store.replace(kind, job)


def _is_suspended(job: Body) -> bool:
    spec = job["spec"]
    return bool(spec.get("suspend") or spec.get("runPolicy", {}).get("suspend"))


def finish_repairs(store: ObjectStore, happening: Happening) -> None:
    """Report a repair as done as soon as it is asked for."""
    if happening.kind.kind not in REPAIRS or happening.type != "ADDED":
        return
    body = store.get(happening.kind, happening.object["metadata"]["name"])
    body["status"] = {
        "startTime": store.now(),
        "completionTime": store.now(),
        "conditions": [{"type": REPAIRS[happening.kind.kind], "status": "True", "reason": "Succeeded"}],
    }
    store.replace(happening.kind, body)


def roll_out(store: ObjectStore, happening: Happening) -> None:
    """Report a Deployment or DaemonSet as rolled out as soon as its spec changes."""
    if happening.kind.kind not in {"Deployment", "DaemonSet"} or happening.type == "DELETED":
        return
    body = store.get(
        happening.kind, happening.object["metadata"]["name"], happening.object["metadata"]["namespace"]
    )
    generation = body["metadata"]["generation"]
    if body.get("status", {}).get("observedGeneration") == generation:
        return
    count = body["spec"].get("replicas", 1)
    body["status"] = {
        "observedGeneration": generation,
        "replicas": count,
        "updatedReplicas": count,
        "availableReplicas": count,
        "updatedNumberScheduled": count,
        "desiredNumberScheduled": count,
        "numberAvailable": count,
    }
    store.replace(happening.kind, body)


CONTROLLERS = (recreate_pods, run_jobs, queue_jobs, finish_repairs, roll_out)
"""All of them, as a cluster has them."""


def _controller_of(pod: Body) -> Body:
    owners: list[Body] = pod["metadata"].get("ownerReferences") or []
    nobody: Body = {}
    return next((owner for owner in owners if owner.get("controller")), nobody)


def _open_node(store: ObjectStore) -> str | None:
    nodes = [node for node in store.all(NODES) if not node.get("spec", {}).get("unschedulable")]
    return nodes[0]["metadata"]["name"] if nodes else None


def _fresh(pod: Body, name: str) -> Body:
    fresh = copy.deepcopy(pod)
    kept = {
        key: fresh["metadata"][key]
        for key in ("labels", "ownerReferences", "annotations")
        if key in fresh["metadata"]
    }
    fresh["metadata"] = {"name": name, **kept}
    fresh["status"] = {"phase": "Running"}
    return fresh


def _worker(store: ObjectStore, kind: ServedKind, job: Body, rank: int) -> Body:
    name = job["metadata"]["name"]
    owner = {"kind": kind.kind, "name": name, "uid": job["metadata"]["uid"], "controller": True}
    labels = {"job-name": name, **job["metadata"].get("labels", {})}
    return {
        "metadata": {
            "name": f"{name}-{rank}-{store.version:x}",
            "labels": labels,
            "ownerReferences": [owner],
        },
        "spec": {"nodeName": _open_node(store), "containers": [{"name": "trainer", "image": "x"}]},
        "status": {"phase": "Running"},
    }
