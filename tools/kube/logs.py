"""Logs of containers, with every bound that the API offers: a pod that shouts must not fill our memory."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from firstfault.tools.kube.errors import RejectedError
from firstfault.tools.kube.replies import Reply, refusal
from firstfault.tools.readings import Json

Object = dict[str, Json]
Ask = Callable[[str, Mapping[str, str]], Reply]
"""(path, query) → the answer."""

_OK = 200
MAX_PODS = 20
"""Pods whose logs are read, the restarted ones first. Ours: a report quotes a handful."""
MAX_BYTES = 4 * 1024 * 1024
"""Most bytes taken of one container's log. Ours: some forty thousand lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRequest:
    """Which log. since_s: only what is younger; is_previous: of the container that ran before the last restart."""

    namespace: str
    pod: str
    container: str
    since_s: int | None = None
    is_previous: bool = False

    @property
    def path(self) -> str:
        """Return the path of the API."""
        return f"/api/v1/namespaces/{self.namespace}/pods/{self.pod}/log"


def read_log(ask: Ask, request: LogRequest) -> bytes:
    """Return the log with its time stamps. Raises KubeError; a container that never ran before is a NotFound or Rejected."""
    query = {"container": request.container, "timestamps": "true", "limitBytes": str(MAX_BYTES)}
    if request.since_s is not None:
        query["sinceSeconds"] = str(request.since_s)
    if request.is_previous:
        query["previous"] = "true"
    asked = f"log of {request.namespace}/{request.pod} {request.container}"
    reply = ask(request.path, query)
    if reply.code != _OK:
        raise refusal(reply, asked)
    if reply.headers.get("content-type", "").startswith("text/html"):
        raise RejectedError(reply.garbled("a log"), asked)
    return reply.body


def log_requests(pods: Iterable[Object], since_s: int | None) -> list[tuple[LogRequest, str | None]]:
    """Return which logs to read: containers that restarted first (their last words too), then the waiting, then others."""
    ranked: list[tuple[int, str, list[tuple[LogRequest, str | None]]]] = []
    for pod in pods:
        metadata, status, spec = (_mapping(pod, name) for name in ("metadata", "status", "spec"))
        namespace, name = str(metadata.get("namespace", "")), str(metadata.get("name", ""))
        node = spec.get("nodeName")
        requests: list[tuple[LogRequest, str | None]] = []
        restarts = 0
        for container in _containers(status):
            one = LogRequest(namespace=namespace, pod=name, container=str(container.get("name", "")))
            count = container.get("restartCount")
            place = str(node) if node else None
            if isinstance(count, int) and count > 0:
                restarts += count
                requests.append((replace(one, is_previous=True), place))
            requests.append((replace(one, since_s=since_s), place))
        ranked.append((-restarts, f"{namespace}/{name}", requests))
    ranked.sort(key=lambda item: item[:2])
    return [request for _, _, requests in ranked[:MAX_PODS] for request in requests]


def _mapping(value: Object, name: str) -> Object:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _containers(status: Object) -> list[Object]:
    found = status.get("containerStatuses")
    return (
        [cast("Object", item) for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    )
