"""Tells what kind of object a description is of: `kubectl describe` does not say."""

import re

from firstfault.tools.readers.kube.describe.outline import Entry

_SIGNS: tuple[tuple[str, frozenset[str]], ...] = (
    (
        "Node",
        frozenset(
            {
                "non-terminated pods",
                "system info",
                "allocated resources",
                "podcidr",
                "unschedulable",
                "capacity+allocatable",
                "roles",
            }
        ),
    ),
    ("PodDisruptionBudget", frozenset({"max unavailable", "min available", "allowed disruptions"})),
    (
        "PersistentVolumeClaim",
        frozenset({"used by", "access modes+volume", "storageclass+volume", "mounted by"}),
    ),
    ("PersistentVolume", frozenset({"reclaim policy", "claim"})),
    ("StorageClass", frozenset({"provisioner", "isdefaultclass", "volumebindingmode"})),
    ("DaemonSet", frozenset({"desired number of nodes scheduled", "number of nodes misscheduled"})),
    ("Deployment", frozenset({"strategytype", "newreplicaset", "rollingupdatestrategy"})),
    ("CronJob", frozenset({"schedule", "concurrency policy", "last schedule time"})),
    ("Job", frozenset({"parallelism", "completions", "backoff limit", "pods statuses", "completion mode"})),
    ("StatefulSet", frozenset({"update strategy", "volume claims", "pod management policy"})),
    ("ReplicaSet", frozenset({"replicas+pods status", "replicas+selector"})),
    ("HorizontalPodAutoscaler", frozenset({"min replicas", "max replicas", "deployment pods"})),
    (
        "Pod",
        frozenset(
            {
                "qos class",
                "node-selectors",
                "tolerations+node",
                "containers+node",
                "ips",
                "init containers",
                "containers+status",
                "containers+namespace",
                "node+status",
                "node+namespace",
                "node+start time",
            }
        ),
    ),
    ("Ingress", frozenset({"default backend", "rules", "ingress class"})),
    (
        "Service",
        frozenset(
            {"session affinity", "endpoints+selector", "external traffic policy", "targetport", "ip families"}
        ),
    ),
    ("NetworkPolicy", frozenset({"podselector", "allowing ingress traffic"})),
    ("ResourceQuota", frozenset({"resource", "name+resource"})),
    ("ServiceAccount", frozenset({"mountable secrets", "tokens", "image pull secrets"})),
    ("EndpointSlice", frozenset({"addresstype"})),
    ("Endpoints", frozenset({"subsets"})),
    ("PriorityClass", frozenset({"globaldefault", "preemptionpolicy"})),
    ("Namespace", frozenset({"status+labels"})),
    ("ConfigMap", frozenset({"data", "binarydata"})),
)
"""Fields at the margin that only this kind has; `a+b` asks for both. The first kind with a sign wins."""


_SPEAKERS = {
    "replicaset-controller": "ReplicaSet",
    "deployment-controller": "Deployment",
    "statefulset-controller": "StatefulSet",
    "daemonset-controller": "DaemonSet",
    "job-controller": "Job",
    "cronjob-controller": "CronJob",
    "persistentvolume-controller": "PersistentVolumeClaim",
    "horizontal-pod-autoscaler": "HorizontalPodAutoscaler",
    "service-controller": "Service",
    "node-controller": "Node",
    "default-scheduler": "Pod",
    "attachdetach-controller": "Pod",
}
"""Who writes events about which kind. The kubelet is not here: it writes about pods and nodes alike."""
_REPLICAS = re.compile(r"\d+ current / \d+ desired")


def kind_of_excerpt(root: Entry) -> str:
    """Return the kind of an object of which only a few fields were kept: by its form, or by who writes events about it."""
    if _REPLICAS.match(root.say("Replicas")):
        return "ReplicaSet"
    section = root.find("Events")
    words = (
        {word for entry in section.below for word in entry.text.split()}
        if section is not None
        else set[str]()
    )
    return next((kind for speaker, kind in _SPEAKERS.items() if speaker in words), "")


def kind_of_description(root: Entry) -> str:
    """Return the kind of the described object, or an empty text when nothing tells it."""
    declared = root.find("Kind")
    if declared is not None and root.find("API Version") is not None:
        return declared.value
    keys = {entry.key.lower() for entry in root.below if entry.key} | {
        entry.text.split(" ", 1)[0].lower() for entry in root.below if not entry.key
    }
    if {"type", "data"} <= keys and root.find("Type") is not None and "/" in root.say("Type") + "/":
        return (
            "Secret"
            if root.say("Type") == "Opaque" or "kubernetes.io/" in root.say("Type")
            else _by_signs(keys)
        )
    return _by_signs(keys)


def _by_signs(keys: set[str]) -> str:
    for kind, signs in _SIGNS:
        if any(keys.issuperset(sign.split("+")) for sign in signs):
            return kind
    return ""
