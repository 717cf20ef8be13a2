"""Container logs as the API gives them."""

from collections.abc import Mapping
from dataclasses import dataclass

from firstfault.evals.sim.kube_errors import bad_request
from firstfault.evals.sim.kube_evictions import PODS
from firstfault.evals.sim.kube_store import ObjectStore


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One line and when it was written (RFC 3339)."""

    at: str
    text: str


Logs = dict[tuple[str, str, str, bool], list[LogLine]]
"""(namespace, pod, container, previous) → lines."""


def log_text(store: ObjectStore, logs: Logs, namespace: str, name: str, query: Mapping[str, str]) -> str:
    """Return the log of one container. Raises Refusal: 404 for the pod, 400 for the container."""
    pod = store.get(PODS, name, namespace)
    containers = [container["name"] for container in pod["spec"]["containers"]]
    container = query.get("container") or containers[0]
    if container not in containers:
        message = f"container {container} is not valid for pod {name}"
        raise bad_request(message)
    lines = logs.get((namespace, name, container, query.get("previous") == "true"), [])
    tail = query.get("tailLines")
    kept = lines[-int(tail) :] if tail else lines
    with_time = query.get("timestamps") == "true"
    return "".join(f"{line.at} {line.text}\n" if with_time else f"{line.text}\n" for line in kept)
