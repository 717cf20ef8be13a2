"""Described Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs and CronJobs."""

import re

from firstfault.tools.readers.kube.describe.conditions import put_conditions
from firstfault.tools.readers.kube.describe.containers import put_containers
from firstfault.tools.readers.kube.describe.outline import ABSENT, Entry
from firstfault.tools.readers.kube.describe.parts import (
    put_metadata,
    put_pairs,
    put_selector,
    time_text,
    truth,
    whole,
)
from firstfault.tools.readers.kube.describe.pods import put_placement, put_volumes
from firstfault.tools.readers.kube.draft import Draft

_REPLICAS = re.compile(r"\b(\d{1,9}) (desired|updated|total|available|unavailable|current)")
_PODS = re.compile(r"\b(\d{1,9}) (?:\(\d{1,9} \w+\) ?)?(Running|Waiting|Succeeded|Failed|Active)")
_REPLICA_FIELDS = {
    "desired": ("spec", "replicas"), "updated": ("status", "updatedReplicas"), "total": ("status", "replicas"),
    "available": ("status", "availableReplicas"), "unavailable": ("status", "unavailableReplicas"),
    "current": ("status", "replicas"),
}  # fmt: skip
_FIELDS = {
    "Desired Number of Nodes Scheduled": ("status", "desiredNumberScheduled"),
    "Current Number of Nodes Scheduled": ("status", "currentNumberScheduled"),
    "Number of Nodes Scheduled with Up-to-date Pods": ("status", "updatedNumberScheduled"),
    "Number of Nodes Scheduled with Available Pods": ("status", "numberAvailable"),
    "Number of Nodes Misscheduled": ("status", "numberMisscheduled"),
    "StrategyType": ("spec", "strategy", "type"), "Update Strategy": ("spec", "updateStrategy", "type"),
    "MinReadySeconds": ("spec", "minReadySeconds"), "Parallelism": ("spec", "parallelism"),
    "Completions": ("spec", "completions"),
    "Completion Mode": ("spec", "completionMode"), "Backoff Limit": ("spec", "backoffLimit"), "Suspend": ("spec", "suspend"),
    "Schedule": ("spec", "schedule"), "Concurrency Policy": ("spec", "concurrencyPolicy"), "Start Time": ("status", "startTime"),
    "Completed At": ("status", "completionTime"), "Last Schedule Time": ("status", "lastScheduleTime"),
}  # fmt: skip

_POD_COUNTS = {
    "Active": "active", "Succeeded": "succeeded", "Failed": "failed", "Running": "runningReplicas", "Waiting": "waitingReplicas",
}  # fmt: skip


def workload(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of a workload and its pod template."""
    put_metadata(root, draft)
    put_selector(draft, root.find("Selector"), "spec", "selector", "matchLabels")
    for key, path in _FIELDS.items():
        entry = root.find(key)
        if entry is not None and entry.value not in ABSENT:
            draft.put(*path, value=_value(entry.value), line=entry.line)
    replicas = root.find("Replicas")
    for number, word in _REPLICAS.findall(replicas.value) if replicas is not None else []:
        draft.put(*_REPLICA_FIELDS[word], value=whole(number), line=replicas.line if replicas else 1)
    pods = root.find("Pods Statuses", "Pods Status")
    for number, word in _PODS.findall(pods.value) if pods is not None else []:
        draft.put("status", _POD_COUNTS[word], value=whole(number), line=pods.line if pods else 1)
    put_conditions(draft, root.find("Conditions"), raw_lines)
    template = root.find("Pod Template")
    if template is not None:
        _put_template(draft, template)


def _value(text: str) -> int | bool | str:
    return whole(text) if text.isdigit() else truth(time_text(text))


def _put_template(draft: Draft, template: Entry) -> None:
    prefix = ("spec", "template")
    labels = template.find("Labels")
    if labels is not None:
        put_pairs(draft, labels, *prefix, "metadata", "labels")
    put_containers(draft, template.find("Init Containers"), "initContainers", None, prefix=prefix)
    put_containers(draft, template.find("Containers"), "containers", None, prefix=prefix)
    put_volumes(draft, template.find("Volumes"), *prefix)
    put_placement(draft, template, *prefix)
