"""What people did, read from the API server's audit log and from events.

Only writes that succeeded count. Components of the cluster and firstfault itself are no people. What the log does not
hold (a request without its object) is not guessed. Source of the shape: Kubernetes, audit.k8s.io/v1 Event.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from firstfault.evals.shadow.history import HumanAction, Thing

OWN_ACTORS = ("system:serviceaccount:firstfault:",)
COMPONENTS = ("system:node:", "system:kube-", "system:apiserver", "system:serviceaccount:kube-system:")
"""Prefixes of users that are parts of the cluster, not people."""

DRAIN_GAP = timedelta(minutes=30)
"""Evictions by one user this soon after their cordon are a drain of that node."""
UNDONE_WITHIN = timedelta(hours=1)
"""A cordon that its node lost this soon, with no repair between, was taken back."""
RECREATED_WITHIN = timedelta(hours=1)
"""A job that was deleted and made again this soon was restarted."""

_REPAIRS = frozenset({"drain_node", "gpu_reset", "node_reboot", "node_replace"})
_DELEGATED = {
    "rebootnodes": "node_reboot",
    "gpuresets": "gpu_reset",
    "terminatenodes": "node_replace",
    "selfnoderemediations": "node_reboot",
    "fenceagentsremediations": "node_reboot",
    "machinedeletionremediations": "node_replace",
}
"""Resources of controllers that act on nodes (NVSentinel janitor, medik8s) and what making one asks for."""
_JOBS = frozenset({"jobs", "jobsets", "pytorchjobs", "mpijobs", "rayjobs", "rayclusters"})
_WORKLOADS = frozenset({"deployments", "daemonsets", "statefulsets"})

Event = Mapping[str, Any]


def actions_of_log(lines: Iterable[str]) -> tuple[HumanAction, ...]:
    """Return what people did, oldest first. Lines that are no audit events are passed over."""
    events = sorted((event for event in map(_parsed, lines) if event is not None), key=_at)
    single = [action for event in events if (action := _action(event)) is not None]
    found = [*single, *_drains(events), *_job_restarts(events)]
    return _undone(sorted(found, key=lambda action: (action.at, action.action, action.target.name)))


def span_of_log(lines: Iterable[str]) -> tuple[datetime, datetime] | None:
    """Return the times of the first and last request in the log: between them everything that was done is in it."""
    times = [at for line in lines if (at := _received(line)) is not None]
    return (min(times), max(times)) if times else None


def actions_of_events(events: Iterable[Event]) -> tuple[HumanAction, ...]:
    """Return reboots that kubelets reported (reason `Rebooted`); who did it is not known."""
    found: list[HumanAction] = []
    for event in events:
        involved = _mapping(event.get("involvedObject") or event.get("regarding"))
        at = event.get("lastTimestamp") or event.get("eventTime") or event.get("firstTimestamp")
        if event.get("reason") == "Rebooted" and involved.get("kind") == "Node" and at:
            target = Thing(kind="node", name=str(involved.get("name")))
            source = "kubelet event Rebooted"
            found.append(
                HumanAction(
                    at=_time(str(at)), actor="unknown", action="node_reboot", target=target, source=source
                )
            )
    return tuple(sorted(found, key=lambda action: action.at))


def _received(line: str) -> datetime | None:
    try:
        return _time(str(_mapping(json.loads(line)).get("requestReceivedTimestamp")))
    except ValueError:
        return None


def _parsed(line: str) -> Event | None:
    try:
        found = _mapping(json.loads(line))
        _time(str(found.get("requestReceivedTimestamp")))
    except ValueError:
        return None
    is_write = found.get("verb") in {"create", "update", "patch", "delete"}
    done = found.get("stage", "ResponseComplete") == "ResponseComplete" and _succeeded(found)
    return found if is_write and done and _is_person(found) else None


def _succeeded(event: Event) -> bool:
    code = _mapping(event.get("responseStatus")).get("code")
    return isinstance(code, int) and 200 <= code < 300  # noqa: PLR2004 - the 2xx range of HTTP


def _is_person(event: Event) -> bool:
    actor = _actor(event)
    return bool(actor) and not actor.startswith((*COMPONENTS, *OWN_ACTORS))


def _actor(event: Event) -> str:
    return str(_mapping(event.get("user")).get("username", ""))


def _at(event: Event) -> datetime:
    return _time(str(event["requestReceivedTimestamp"]))


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _mapping(value: object) -> Event:
    return cast("Event", value) if isinstance(value, dict) else {}


def _ref(event: Event) -> tuple[str, str, str, str | None]:
    ref = _mapping(event.get("objectRef"))
    resource, sub = str(ref.get("resource", "")), str(ref.get("subresource") or "")
    namespace = ref.get("namespace")
    return resource, sub, str(ref.get("name", "")), str(namespace) if namespace else None


def _done(event: Event, action: str, target: Thing) -> HumanAction:
    source = f"API audit {event.get('auditID', 'without id')}"
    return HumanAction(at=_at(event), actor=_actor(event), action=action, target=target, source=source)


def _action(event: Event) -> HumanAction | None:
    resource, sub, name, namespace = _ref(event)
    verb = event["verb"]
    if resource == "nodes" and not sub:
        return _node_action(event, name)
    if resource in _DELEGATED and verb == "create":
        return _delegated(event, _DELEGATED[resource], name)
    if resource == "pods" and not sub and verb == "delete" and name:
        return _done(event, "restart_pod", Thing(kind="pod", name=name, namespace=namespace))
    if resource in _WORKLOADS and verb in {"patch", "update"}:
        return _workload_action(event, Thing(kind="workload", name=name, namespace=namespace))
    if resource == "clusterpolicies" and _path(event, "spec", "driver") is not None:
        return _done(event, "driver_change", Thing(kind="change", name=name))
    return None


def _node_action(event: Event, name: str) -> HumanAction | None:
    target = Thing(kind="node", name=name)
    if event["verb"] == "delete":
        return _done(event, "node_replace", target)
    spec = _path(event, "spec")
    if not isinstance(spec, dict) or "unschedulable" not in spec:
        return None
    unschedulable = cast("Event", spec)["unschedulable"]
    return _done(event, "cordon_node" if unschedulable else "uncordon_node", target)


def _delegated(event: Event, action: str, name: str) -> HumanAction:
    node = _path(event, "spec", "nodeName") or _path(event, "spec", "node") or name
    return _done(event, action, Thing(kind="node", name=str(node)))


def _workload_action(event: Event, target: Thing) -> HumanAction | None:
    request = event.get("requestObject")
    if isinstance(request, list):
        paths = [_mapping(step).get("path") for step in cast("list[object]", request)]
        return _done(event, "rollback_change", target) if "/spec/template" in paths else None
    annotations = _mapping(_path(event, "spec", "template", "metadata", "annotations"))
    if "kubectl.kubernetes.io/restartedAt" in annotations:
        return _done(event, "restart_pod", target)
    return None


def _path(event: Event, *names: str) -> object:
    value: object = event.get("requestObject")
    for name in names:
        value = _mapping(value).get(name)
    return value


def _drains(events: Sequence[Event]) -> Iterator[HumanAction]:
    """Yield one drain for the evictions that follow a cordon by the same user; without a cordon, pod restarts."""
    cordons: dict[str, tuple[str, datetime]] = {}
    drained: set[tuple[str, str, datetime]] = set()
    for event in events:
        resource, sub, name, namespace = _ref(event)
        actor = _actor(event)
        cordon = _node_action(event, name) if resource == "nodes" and not sub else None
        if cordon is not None and cordon.action == "cordon_node":
            cordons[actor] = (name, cordon.at)
        if (resource, sub, event["verb"]) != ("pods", "eviction", "create"):
            continue
        node, since = cordons.get(actor, ("", None))
        if since is None or _at(event) - since > DRAIN_GAP:
            yield _done(event, "restart_pod", Thing(kind="pod", name=name, namespace=namespace))
        elif (actor, node, since) not in drained:
            drained.add((actor, node, since))
            yield _done(event, "drain_node", Thing(kind="node", name=node))


def _job_restarts(events: Sequence[Event]) -> Iterator[HumanAction]:
    deleted: dict[tuple[str, str, str | None], datetime] = {}
    for event in events:
        resource, sub, name, namespace = _ref(event)
        if resource not in _JOBS or sub:
            continue
        name = name or str(_path(event, "metadata", "name") or "")
        key = (resource, name, namespace)
        if event["verb"] == "delete":
            deleted[key] = _at(event)
        elif (
            event["verb"] == "create" and key in deleted and _at(event) - deleted.pop(key) <= RECREATED_WITHIN
        ):
            yield _done(
                event, "restart_job_from_checkpoint", Thing(kind="job", name=name, namespace=namespace)
            )


def _undone(actions: Sequence[HumanAction]) -> tuple[HumanAction, ...]:
    """Return the actions with cordons marked that were taken back soon and without a repair between."""
    marked: list[HumanAction] = []
    for number, action in enumerate(actions):
        later = [other for other in actions[number + 1 :] if other.target.name == action.target.name]
        back = next((other for other in later if other.action == "uncordon_node"), None)
        repaired = back and any(other.action in _REPAIRS and other.at <= back.at for other in later)
        if action.action == "cordon_node" and back and not repaired and back.at - action.at <= UNDONE_WITHIN:
            marked.append(action.model_copy(update={"undone_at": back.at}))
        else:
            marked.append(action)
    return tuple(marked)
