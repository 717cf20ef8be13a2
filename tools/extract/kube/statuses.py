"""What became of pods and their containers: kills, exits, waits, evictions, by the field that says so. Pure.

Source: Kubernetes, "Pod Lifecycle" (phases, container states and reasons), kubelet's waiting reasons.
"""

from collections.abc import Iterator

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Evidence
from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.components import role_of
from firstfault.tools.extract.kube.containers import Container, containers_of
from firstfault.tools.extract.kube.marks import Facts, mark, time_of
from firstfault.tools.readings import KubeObject
from firstfault.tools.signals import Signal

_WAITING = {
    "CrashLoopBackOff": "kube.pod.crash_loop",
    "ImagePullBackOff": "kube.pod.image_pull_failed",
    "ErrImagePull": "kube.pod.image_pull_failed",
    "ErrImageNeverPull": "kube.pod.image_pull_failed",
    "InvalidImageName": "kube.pod.image_name_invalid",
    "ImageInspectError": "kube.pod.image_pull_failed",
    "RegistryUnavailable": "kube.pod.image_pull_failed",
    "CreateContainerConfigError": "kube.pod.config_error",
    "CreateContainerError": "kube.pod.create_error",
    "RunContainerError": "kube.pod.run_error",
    "ContainerCreating": "kube.pod.creating",
    "PodInitializing": "kube.pod.initializing",
}
_TABLE_STATES = {
    **_WAITING,
    "OOMKilled": "kube.pod.oom_killed",
    "Evicted": "kube.pod.evicted",
    "Error": "kube.pod.error_exit",
    "Pending": "kube.pod.pending",
    "Terminating": "kube.pod.terminating",
    "ContainerStatusUnknown": "kube.pod.state_unknown",
    "NodeLost": "kube.pod.node_lost",
    "UnexpectedAdmissionError": "kube.pod.admission_refused",
    "OutOfcpu": "kube.pod.admission_refused",
    "OutOfmemory": "kube.pod.admission_refused",
    "OutOfpods": "kube.pod.admission_refused",
    "TopologyAffinityError": "kube.pod.topology_refused",
    "NodeAffinity": "kube.pod.admission_refused",
}
"""The STATUS column of `kubectl get pods`."""
_ASKED_TO_END = frozenset({143, 0})
"""128 + SIGTERM, and a clean end: the program was asked to stop."""
_FATAL_SIGNALS = {134: "abort", 135: "bus error", 136: "arithmetic", 139: "segmentation fault"}


def pod_states(cluster: Cluster) -> Iterator[Signal]:
    """Yield what the statuses of pods and their containers say."""
    for pod in cluster.fullest("pod"):
        ending = bool(pod.text("metadata.deletionTimestamp"))
        yield from _pod(pod, ending=ending)
        for container in containers_of(pod):
            yield from _container(pod, container, ending=ending, context=cluster.context)
        if not pod.get("status.containerStatuses") and not pod.get("spec.containers"):
            yield from _row(pod)


def _pod(pod: KubeObject, *, ending: bool) -> Iterator[Signal]:
    reason, phase = pod.text("status.reason"), pod.text("status.phase")
    message = pod.text("status.message") or None
    if reason == "Evicted":
        yield mark(pod, "status.reason", "kube.pod.evicted", message=message)
    elif reason in _TABLE_STATES:
        yield mark(pod, "status.reason", _TABLE_STATES[reason], message=message)
    if ending:
        yield mark(pod, "metadata.deletionTimestamp", "kube.pod.terminating")
    if phase == "Pending" and not ending:
        yield mark(pod, "status.phase", "kube.pod.pending", scheduled=bool(pod.text("spec.nodeName")))


def _container(
    pod: KubeObject, container: Container, *, ending: bool, context: ReadContext
) -> Iterator[Signal]:
    facts: Facts = {
        "container": container.name,
        "restarts": container.restarts,
        "init": container.is_init,
        "ending": ending,
        "role": role_of(pod.name, pod.namespace),
    }
    waiting = container.state("state", "waiting", "reason")
    if waiting in _WAITING:
        yield mark(
            pod,
            f"{container.status_path}.state.waiting.reason",
            _WAITING[waiting],
            reason=waiting,
            message=container.state("state", "waiting", "message") or None,
            image=str(container.spec.get("image") or container.status.get("image") or "") or None,
            facts=facts,
        )
    for which in ("state", "lastState"):
        yield from _terminated(pod, container, which, facts, context)


def _terminated(
    pod: KubeObject, container: Container, which: str, facts: Facts, context: ReadContext
) -> Iterator[Signal]:
    reason = container.state(which, "terminated", "reason")
    code_text = container.state(which, "terminated", "exitCode")
    code = int(code_text) if code_text.lstrip("-").isdigit() else None
    path = f"{container.status_path}.{which}.terminated"
    message = container.state(which, "terminated", "message") or None
    stamp = time_of(pod, f"{path}.finishedAt", context)
    if reason == "OOMKilled":
        limit = container.asked("resources.limits.memory")
        yield mark(
            pod,
            f"{path}.reason",
            "kube.pod.oom_killed",
            stamp=stamp,
            also=_limit(container),
            exit_code=code,
            limit=str(limit) if limit is not None else None,
            checked=limit is not None,
            facts=facts,
        )
    elif code in _FATAL_SIGNALS:
        yield mark(
            pod,
            f"{path}.exitCode",
            "kube.pod.died_by_signal",
            stamp=stamp,
            exit_code=code,
            how=_FATAL_SIGNALS[code],
            facts=facts,
        )
    elif code is not None and code not in _ASKED_TO_END:
        yield mark(
            pod,
            f"{path}.exitCode",
            "kube.pod.error_exit",
            stamp=stamp,
            exit_code=code,
            reason=reason or None,
            message=message,
            facts=facts,
        )
    elif reason == "Completed" and facts["restarts"] and not facts["init"]:
        yield mark(pod, f"{path}.reason", "kube.pod.ends_at_once", exit_code=code, facts=facts)


def _limit(container: Container) -> list[Evidence]:
    if container.asked("resources.limits.memory") is None:
        return []
    return [container.owner.cite(f"{container.spec_path}.resources.limits.memory")]


def _row(pod: KubeObject) -> Iterator[Signal]:
    """Yield what the row of a table says: `STATUS`, or `Init:` and the state of an init container."""
    status = pod.columns.get("STATUS", "").split(":")[-1]
    name = _TABLE_STATES.get(status)
    if name is not None:
        yield mark(
            pod,
            "",
            name,
            reason=status,
            restarts=_leading_number(pod.columns.get("RESTARTS", "")),
            init=pod.columns.get("STATUS", "").startswith("Init:"),
            ending=status == "Terminating",
            role=role_of(pod.name, pod.namespace),
        )


def _leading_number(text: str) -> int | None:
    digits = text.partition(" ")[0]
    return int(digits) if digits.isdigit() else None
