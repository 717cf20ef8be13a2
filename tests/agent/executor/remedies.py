"""Every remedy ready to be decided on: what each needs on the cluster, and the proposal."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from firstfault.agent.facts.settings import CORDON_ANNOTATION
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.policies import Action, Proposal, Target, TargetKind
from tests.agent.executor.kit import NODE, Bench, asking, kind, pod

FIRMWARE = "gpu.firmware_hang"
DRIVER = "driver.bug"
CHECKPOINT_AT = "firstfault.dev/checkpoint-at"
RUNNING: Mapping[str, Any] = {
    "phase": "Running",
    "containerStatuses": [{"name": "main", "state": {"running": {}}}],
}


def _saved(bench: Bench) -> str:
    return (bench.clock.now() - timedelta(minutes=10)).strftime("%Y-%m-%dT%H:%M:%SZ")


JOBS: dict[str, tuple[dict[str, Any], str]] = {
    "Job": ({"suspend": False}, "/apis/batch/v1/namespaces/research/jobs/llm"),
    "JobSet": ({"suspend": False}, "/apis/jobset.x-k8s.io/v1alpha2/namespaces/research/jobsets/llm"),
    "PyTorchJob": (
        {"runPolicy": {"suspend": False}},
        "/apis/kubeflow.org/v1/namespaces/research/pytorchjobs/llm",
    ),
    "MPIJob": (
        {"runPolicy": {"suspend": False}},
        "/apis/kubeflow.org/v2beta1/namespaces/research/mpijobs/llm",
    ),
}


def load_job(bench: Bench, name: str) -> Target:
    """Put a job with two workers on the cluster."""
    spec, _ = JOBS[name]
    body = {
        "metadata": {
            "name": "llm",
            "namespace": "research",
            "annotations": {"sim/pods": "2", CHECKPOINT_AT: _saved(bench)},
            "labels": {"team": "a"},
        },
        "spec": spec,
    }
    bench.api.store.load(kind(name), [body])
    return Target(kind=TargetKind.JOB, name="llm", namespace="research", workload_kind=name)


def revisions(kind_name: str, *, volumes: list[Any] | None = None) -> tuple[str, list[dict[str, Any]]]:
    """Return the kind of a workload's revisions and two of them."""
    old = {
        "metadata": {"labels": {"app": "driver", "pod-template-hash": "old"}},
        "spec": template_of("driver:1", volumes or []),
    }
    new = {
        "metadata": {"labels": {"app": "driver", "pod-template-hash": "new"}},
        "spec": template_of("driver:2", []),
    }
    owner = [{"kind": kind_name, "name": "driver", "uid": "u-driver", "controller": True}]
    if kind_name == "Deployment":
        return "ReplicaSet", [
            {
                "metadata": {
                    "name": f"driver-{order}",
                    "namespace": "gpu-operator",
                    "ownerReferences": owner,
                    "annotations": {"deployment.kubernetes.io/revision": str(order)},
                },
                "spec": {"template": template},
            }
            for order, template in ((1, old), (2, new))
        ]
    return "ControllerRevision", [
        {
            "metadata": {"name": f"driver-{order}", "namespace": "gpu-operator", "ownerReferences": owner},
            "revision": order,
            "data": {"spec": {"template": {**template, "$patch": "replace"}}},
        }
        for order, template in ((1, old), (2, new))
    ]


def template_of(image: str, volumes: list[Any]) -> dict[str, Any]:
    return {"containers": [{"name": "driver", "image": image}], **({"volumes": volumes} if volumes else {})}


def load_workload(bench: Bench, kind_name: str, *, volumes: list[Any] | None = None) -> Target:
    """Put a workload with two revisions on the cluster."""
    template = {"metadata": {"labels": {"app": "driver"}}, "spec": template_of("driver:2", [])}
    body = {
        "metadata": {"name": "driver", "namespace": "gpu-operator", "labels": {"x": "y"}},
        "spec": {"selector": {"matchLabels": {"app": "driver"}}, "template": template, "replicas": 1},
    }
    made = bench.api.store.create(kind(kind_name), body, "gpu-operator")
    name, bodies = revisions(kind_name, volumes=volumes)
    for each in bodies:
        each["metadata"]["ownerReferences"][0]["uid"] = made["metadata"]["uid"]
    bench.api.store.load(kind(name), bodies)
    return Target(kind=TargetKind.WORKLOAD, name="driver", namespace="gpu-operator", workload_kind=kind_name)


PINS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "Application": (
        {
            "spec": {"source": {"targetRevision": "v2"}, "destination": {"namespace": "research"}},
            "status": {
                "history": [{"revision": "v1"}, {"revision": "v2"}],
                "resources": [{"kind": "DaemonSet", "name": "driver"}],
            },
        },
        ("spec", "source", "targetRevision"),
    ),
    "HelmRelease": (
        {
            "spec": {
                "chart": {
                    "spec": {
                        "chart": "driver",
                        "version": "2.0.0",
                        "sourceRef": {"kind": "HelmRepository", "name": "charts"},
                    }
                },
                "targetNamespace": "research",
            },
            "status": {
                "history": [
                    {"chartName": "driver", "chartVersion": "2.0.0", "version": 2, "status": "deployed"},
                    {"chartName": "driver", "chartVersion": "1.9.0", "version": 1, "status": "superseded"},
                ],
                "inventory": {"entries": [{"id": "research_driver_apps_DaemonSet", "v": "v1"}]},
            },
        },
        ("spec", "chart", "spec", "version"),
    ),
}


def load_pin(bench: Bench, kind_name: str) -> Target:
    """Put an Application or a HelmRelease with one earlier revision on the cluster."""
    body, _ = PINS[kind_name]
    bench.api.store.load(kind(kind_name), [{"metadata": {"name": "stack", "namespace": "gitops"}, **body}])
    return Target(kind=TargetKind.WORKLOAD, name="stack", namespace="gitops", workload_kind=kind_name)


OLD, NEW = "a" * 40, "b" * 40


def load_kustomization(bench: Bench, *names: str, deploys: str = "DaemonSet") -> Target:
    """Put Kustomizations that follow one repository on the cluster; the first is the target."""
    pin = {"sourceRef": {"kind": "GitRepository", "name": "fleet"}, "targetNamespace": "research"}
    status = {
        "history": [
            {"metadata": {"revision": f"main@sha1:{sha}"}, "lastReconciledStatus": "ReconciliationSucceeded"}
            for sha in (NEW, OLD)
        ],
        "lastAppliedRevision": f"main@sha1:{NEW}",
        "inventory": {"entries": [{"id": f"research_driver_apps_{deploys}", "v": "v1"}]},
    }
    bench.api.store.load(
        kind("Kustomization"),
        [
            {"metadata": {"name": name, "namespace": "gitops"}, "spec": pin, "status": status}
            for name in names
        ],
    )
    bench.api.store.load(
        kind("GitRepository"),
        [{"metadata": {"name": "fleet", "namespace": "gitops"}, "spec": {"ref": {"branch": "main"}}}],
    )
    return Target(kind=TargetKind.WORKLOAD, name=names[0], namespace="gitops", workload_kind="Kustomization")


def load_queued_job(bench: Bench) -> Target:
    """Put a job on the cluster that Kueue admitted: its Workload says whether it runs."""
    target = load_job(bench, "Job")
    job = bench.api.store.get(kind("Job"), "llm", "research")
    job["metadata"]["labels"] = {**job["metadata"]["labels"], "kueue.x-k8s.io/queue-name": "team-a"}
    bench.api.store.replace(kind("Job"), job)
    owner = {"kind": "Job", "name": "llm", "uid": job["metadata"]["uid"], "controller": True}
    metadata = {"name": "job-llm", "namespace": "research", "ownerReferences": [owner]}
    bench.api.store.load(kind("Workload"), [{"metadata": metadata, "spec": {"active": True}}])
    queue = {"metadata": {"name": "team-a", "namespace": "research"}, "spec": {"clusterQueue": "gpus"}}
    status = {"conditions": [{"type": "Active", "status": "True"}]}
    bench.api.store.load(kind("LocalQueue"), [{**queue, "status": status}])
    return target


def cordoned(bench: Bench) -> Proposal:
    bench.allow(Action.CORDON_NODE, FIRMWARE)
    return asking(Action.CORDON_NODE)


def opened(bench: Bench) -> Proposal:
    bench.allow(Action.UNCORDON_NODE, FIRMWARE)
    node = dict(bench.node())
    node["metadata"] = {**node["metadata"], "annotations": {CORDON_ANNOTATION: "dec-before"}}
    bench.api.store.replace(kind("Node"), {**node, "spec": {"unschedulable": True}})
    return asking(Action.UNCORDON_NODE)


def drained(bench: Bench) -> Proposal:
    bench.allow(Action.DRAIN_NODE, FIRMWARE)
    bench.api.store.load(kind("Pod"), [pod("serving-a"), pod("serving-b")])
    return asking(Action.DRAIN_NODE)


def moved(bench: Bench) -> Proposal:
    bench.allow(Action.RESTART_POD, "kubernetes.device_plugin")
    bench.api.store.load(kind("Pod"), [pod("plugin-x", status=RUNNING)])
    target = Target(kind=TargetKind.POD, name="plugin-x", namespace="research")
    return asking(Action.RESTART_POD, target, failure_class="kubernetes.device_plugin")


def _restarted(load: Callable[[Bench], Target]) -> Callable[[Bench], Proposal]:
    def proposed(bench: Bench) -> Proposal:
        bench.allow(Action.RESTART_JOB_FROM_CHECKPOINT, FIRMWARE)
        return asking(Action.RESTART_JOB_FROM_CHECKPOINT, load(bench))

    return proposed


def _repaired(action: Action, failure_class: str = FIRMWARE) -> Callable[[Bench], Proposal]:
    def proposed(bench: Bench) -> Proposal:
        bench.allow(action, failure_class)
        is_one = action is Action.GPU_RESET
        target = Target(kind=TargetKind.GPU, name="0000:1a:00", node=NODE) if is_one else None
        return asking(action, target, failure_class=failure_class)

    return proposed


def _rolled_back(load: Callable[[Bench], Target]) -> Callable[[Bench], Proposal]:
    def proposed(bench: Bench) -> Proposal:
        bench.allow(Action.ROLLBACK_CHANGE, DRIVER)
        return asking(Action.ROLLBACK_CHANGE, load(bench), failure_class=DRIVER)

    return proposed


def refused(bench: Bench) -> Proposal:
    """Return a drain whose second eviction the cluster never allows, so that it is taken back."""
    path = r"/api/v1/namespaces/research/pods/serving-b/eviction"
    bench.api.faults.append(Fault(trouble=Trouble.REFUSE, path=path, code=403, times=1_000))
    return drained(bench)


REMEDIES: Mapping[str, Callable[[Bench], Proposal]] = {
    "cordon_node": cordoned,
    "uncordon_node": opened,
    "drain_node": drained,
    "restart_pod": moved,
    "restart_job Job": _restarted(lambda bench: load_job(bench, "Job")),
    "restart_job JobSet": _restarted(lambda bench: load_job(bench, "JobSet")),
    "restart_job PyTorchJob": _restarted(lambda bench: load_job(bench, "PyTorchJob")),
    "restart_job MPIJob": _restarted(lambda bench: load_job(bench, "MPIJob")),
    "restart_job in a queue": _restarted(load_queued_job),
    "gpu_reset": _repaired(Action.GPU_RESET),
    "node_reboot": _repaired(Action.NODE_REBOOT),
    "node_replace": _repaired(Action.NODE_REPLACE, "gpu.row_remap_failure"),
    "rollback Deployment": _rolled_back(lambda bench: load_workload(bench, "Deployment")),
    "rollback DaemonSet": _rolled_back(lambda bench: load_workload(bench, "DaemonSet")),
    "rollback Application": _rolled_back(lambda bench: load_pin(bench, "Application")),
    "rollback HelmRelease": _rolled_back(lambda bench: load_pin(bench, "HelmRelease")),
    "rollback Kustomization": _rolled_back(lambda bench: load_kustomization(bench, "stack")),
}
"""Every executable action, with every kind of object that it has a plan of its own for."""


def approvers_of(proposal: Proposal) -> tuple[str, ...]:
    """Return who must say yes: two people to what cannot be undone."""
    return ("ada", "grace") if proposal.action is Action.NODE_REPLACE else ("ada",)
