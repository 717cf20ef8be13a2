"""Deployments and their kin: scaled to nothing, short of replicas, stuck in a roll-out, complete. Pure.

Source: Kubernetes, "Deployments" (status, Progressing condition), "Job" (backoffLimit), "HorizontalPodAutoscaler" (conditions).
"""

from collections.abc import Iterator

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.marks import mark
from firstfault.tools.extract.kube.selectors import maps
from firstfault.tools.readings import KubeObject
from firstfault.tools.signals import Signal

_KINDS = ("deployment", "statefulset", "replicaset", "daemonset")


def workload_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield how workloads stand."""
    for item in cluster.fullest(*_KINDS):
        yield from _replicas(item)
        yield from _conditions(item)
    for job in cluster.fullest("job"):
        for index, condition in enumerate(maps(job.get("status.conditions"))):
            if condition.get("type") == "Failed" and condition.get("status") == "True":
                reason = str(condition.get("reason") or "") or None
                yield mark(
                    job,
                    f"status.conditions.{index}",
                    "kube.job.failed",
                    reason=reason,
                    message=str(condition.get("message") or "") or None,
                )
    for scaler in cluster.fullest("horizontalpodautoscaler"):
        yield from _scaler(scaler)


def counts(item: KubeObject) -> tuple[int | None, int | None]:
    """Return (desired, available or ready) replicas of a workload, from its status or its row; None when not read."""
    desired = (
        _number(item.get("spec.replicas"))
        if item.kind.casefold() != "daemonset"
        else _number(item.get("status.desiredNumberScheduled"))
    )
    ready = _number(item.get("status.availableReplicas"))
    if ready is None:
        ready = _number(item.get("status.readyReplicas"))
    if ready is None:
        ready = _number(item.get("status.numberReady"))
    row = item.columns.get("READY", "")
    if "/" in row:
        ready_text, _, desired_text = row.partition("/")
        desired = desired if desired is not None else _number(desired_text)
        ready = ready if ready is not None else _number(ready_text)
    if item.kind.casefold() in {"daemonset", "replicaset"} and item.columns:
        desired = desired if desired is not None else _number(item.columns.get("DESIRED"))
        ready = ready if ready is not None else _number(row)
    if ready is None and desired is not None:
        ready = _at_most(item, desired)
    return desired, ready


def _at_most(item: KubeObject, desired: int) -> int | None:
    """Return how many can be ready where it is not said: none that was not even created."""
    created = _number(item.get("status.replicas"))
    if created is not None and created < desired:
        return created
    return 0 if item.mapping("status") and not item.partial else None


def _number(value: object) -> int | None:
    if isinstance(value, bool) or value is None:
        return None
    text = str(value).strip()
    return int(text) if text.isdigit() else None


def _replicas(item: KubeObject) -> Iterator[Signal]:
    desired, ready = counts(item)
    if desired is None:
        return
    if desired == 0:
        if item.kind.casefold() in {"deployment", "statefulset"}:
            yield mark(item, "spec.replicas", "kube.workload.scaled_to_zero")
        return
    if ready is None:
        return
    if ready < desired:
        path = next(
            (
                p
                for p in ("status.unavailableReplicas", "status.readyReplicas", "status.replicas")
                if item.get(p) is not None
            ),
            "status",
        )
        yield mark(item, path, "kube.workload.short", desired=desired, ready=ready, none_ready=ready == 0)
    elif item.kind.casefold() != "replicaset":
        path = next(
            (
                p
                for p in ("status.readyReplicas", "status.availableReplicas", "status.numberReady")
                if item.get(p) is not None
            ),
            "",
        )
        yield mark(item, path, "kube.workload.complete", desired=desired)


def _conditions(item: KubeObject) -> Iterator[Signal]:
    for index, condition in enumerate(maps(item.get("status.conditions"))):
        kind, status, reason = (str(condition.get(key) or "") for key in ("type", "status", "reason"))
        path = f"status.conditions.{index}"
        message = str(condition.get("message") or "") or None
        if kind == "Progressing" and status == "False":
            yield mark(item, path, "kube.workload.rollout_stuck", reason=reason or None, message=message)
        elif kind == "ReplicaFailure" and status == "True":
            yield mark(item, path, "kube.workload.create_failed", reason=reason or None, message=message)


def _scaler(scaler: KubeObject) -> Iterator[Signal]:
    for index, condition in enumerate(maps(scaler.get("status.conditions"))):
        kind, status = str(condition.get("type") or ""), str(condition.get("status") or "")
        if status == "False" and kind in {"AbleToScale", "ScalingActive"}:
            reason, message = (
                str(condition.get("reason") or "") or None,
                str(condition.get("message") or "") or None,
            )
            yield mark(
                scaler, f"status.conditions.{index}", "kube.hpa.cannot_scale", reason=reason, message=message
            )
        elif status == "True" and kind == "ScalingLimited" and condition.get("reason") == "TooManyReplicas":
            yield mark(scaler, f"status.conditions.{index}", "kube.hpa.at_limit")
