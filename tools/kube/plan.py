"""What is asked of a cluster about an incident, in the order in which it disappears. Pure: nothing is sent from here.

Asked by name and selector. Events are not: the server keeps them apart from its cache and filters only after it has read
all of a namespace, so events of many machines are asked for once, in the one namespace where they are (`default`), and
sorted out here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from firstfault.tools.kube import resources
from firstfault.tools.kube.door import Resource
from firstfault.tools.kube.slimming import Object, Test, at

NAMESPACED = (
    resources.CLAIMS,
    resources.BUDGETS,
    resources.QUOTAS,
    resources.RANGES,
    resources.SERVICES,
    resources.SLICES,
    resources.DEPLOYMENTS,
    resources.DAEMON_SETS,
    resources.STATEFUL_SETS,
    resources.REPLICA_SETS,
    resources.REVISIONS,
    resources.JOBS,
)
"""What is read of each namespace in scope, beside its pods and events."""
CUSTOM = (
    resources.JOB_SETS,
    resources.PYTORCH_JOBS,
    resources.MPI_JOBS,
    resources.TRAIN_JOBS,
    resources.RAY_JOBS,
    resources.RAY_CLUSTERS,
    resources.WORKLOADS,
    resources.LOCAL_QUEUES,
    resources.VOLCANO_JOBS,
    resources.POD_GROUPS,
    resources.DEVICE_CLAIMS,
    resources.COMPUTE_DOMAINS,
)
"""The same, where the cluster serves them."""
DELIVERIES = (resources.APPLICATIONS, resources.HELM_RELEASES, resources.KUSTOMIZATIONS)
"""Who delivers to a namespace is often in another one: read of the whole cluster, kept when it concerns the scope."""
REPAIRS = (resources.REBOOTS, resources.RESETS, resources.TERMINATIONS)
WIDE = (resources.CLUSTER_QUEUES, resources.VOLCANO_QUEUES, resources.GPU_POLICIES, resources.GPU_DRIVERS)
"""Of the whole cluster, few objects each, where they are served."""
OPTIONAL = (*CUSTOM, *DELIVERIES, *REPAIRS, *WIDE, resources.DEVICE_SLICES)
"""Kinds that a cluster may not serve: not installed is no gap."""
RELEASED = (resources.DEPLOYMENTS, resources.DAEMON_SETS, resources.STATEFUL_SETS)
"""Where Helm leaves its name: its own history is in Secrets, which are never read."""
STORAGE = (resources.VOLUMES, resources.CLASSES, resources.ATTACHMENTS)
WEBHOOKS = (resources.VALIDATING, resources.MUTATING)
LISTED = (
    resources.EVENTS,
    resources.PODS,
    resources.NODES,
    resources.LEASES,
    *NAMESPACED,
    *STORAGE,
    *WEBHOOKS,
    *OPTIONAL,
)
"""Every resource that a read may ask for: the role in deploy/ grants these."""
LEASE_SPACE = "kube-node-lease"
BY_NAME = 3
"""Up to so many machines their events are asked for one by one. Ours."""
RECENT = timedelta(hours=24)
"""A revision or a delivery older than this before the window is no news. Ours."""
CACHED = {"resourceVersion": "0"}
"""Answered from the server's cache, which has pods by node: seconds old at most, and free for etcd.

Source: Kubernetes API concepts, "Semantics for get and list". Never used where a decision rests on the answer.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What the incident is about: nodes by name, namespaces by name."""

    nodes: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One read. name: one object instead of a list. label: where its document stands. keep: which objects are wanted."""

    resource: Resource
    label: str
    namespace: str | None = None
    name: str | None = None
    selectors: Mapping[str, str] = field(default_factory=dict[str, str])
    keep: Test | None = None

    @property
    def query(self) -> str:
        """Return the path and what selects."""
        shown = "&".join(f"{name}={value}" for name, value in self.selectors.items())
        return self.resource.path(self.namespace, self.name) + (f"?{shown}" if shown else "")


def volatile(scope: Scope) -> Iterator[Asked]:
    """Yield the reads of what is overwritten or gone soonest: events, pods, nodes and their heartbeats."""
    yield from _node_events(scope.nodes)
    for namespace in scope.namespaces:
        yield Asked(resource=resources.EVENTS, namespace=namespace, label=namespace)
    for node in scope.nodes:
        on_node = {"fieldSelector": f"spec.nodeName={node}", **CACHED}
        yield Asked(resource=resources.PODS, selectors=on_node, label=f"node-{node}")
    for namespace in scope.namespaces:
        yield Asked(resource=resources.PODS, namespace=namespace, label=namespace)
    for node in scope.nodes:
        yield Asked(resource=resources.NODES, name=node, label=f"node-{node}")
        yield Asked(resource=resources.LEASES, namespace=LEASE_SPACE, name=node, label=f"node-{node}")


def _node_events(nodes: tuple[str, ...]) -> Iterator[Asked]:
    about = "involvedObject.kind=Node"
    if len(nodes) <= BY_NAME:
        for node in nodes:
            selectors = {"fieldSelector": f"{about},involvedObject.name={node}"}
            yield Asked(resource=resources.EVENTS, selectors=selectors, label=f"node-{node}")
        return
    wanted = frozenset(nodes)
    yield Asked(
        resource=resources.EVENTS,
        namespace="default",
        selectors={"fieldSelector": about},
        label="nodes",
        keep=lambda item: at(item, "involvedObject", "name") in wanted,
    )


def lasting(scope: Scope, served: Iterable[Resource], since: datetime | None) -> Iterator[Asked]:
    """Yield the other reads. served: the optional kinds that the cluster has. since: what is older is no news."""
    have = tuple(served)
    cluster = [each for each in have if each not in CUSTOM]
    for namespace in scope.namespaces:
        for resource in (*NAMESPACED, *(each for each in have if each in CUSTOM)):
            yield Asked(resource=resource, namespace=namespace, label=namespace)
    if scope.namespaces:
        yield from (Asked(resource=each, label="cluster") for each in (resources.CLASSES, *WEBHOOKS))
        yield Asked(resource=resources.VOLUMES, label="cluster", keep=_claimed_in(scope.namespaces))
    if scope.nodes:
        names = frozenset(scope.nodes)
        on_nodes: Test = lambda item: at(item, "spec", "nodeName") in names  # noqa: E731 - as a value
        yield Asked(resource=resources.ATTACHMENTS, label="cluster", keep=on_nodes)
        yield Asked(resource=resources.DAEMON_SETS, label="cluster")
        yield Asked(resource=resources.REVISIONS, label="cluster", keep=_newer(since))
        for resource in cluster:
            if resource == resources.DEVICE_SLICES or resource in REPAIRS:
                yield Asked(resource=resource, label="cluster", keep=on_nodes)
    for resource in cluster:
        if resource in DELIVERIES:
            yield Asked(resource=resource, label="cluster", keep=_delivers(scope.namespaces, since))
        elif resource in WIDE:
            yield Asked(resource=resource, label="cluster")


def _claimed_in(namespaces: tuple[str, ...]) -> Test:
    return lambda item: at(item, "spec", "claimRef", "namespace") in namespaces


def _newer(since: datetime | None) -> Test:
    earliest = _text(since)
    return lambda item: str(at(item, "metadata", "creationTimestamp") or "") >= earliest


def _text(since: datetime | None) -> str:
    """Return the moment as the API writes it, so that texts can be compared; empty when everything is news."""
    return "" if since is None else (since - RECENT).strftime("%Y-%m-%dT%H:%M:%SZ")


_TARGETS = (
    ("metadata", "namespace"),
    ("spec", "destination", "namespace"),
    ("spec", "targetNamespace"),
)
_TIMES = (("status", "operationState", "finishedAt"), ("status", "operationState", "startedAt"))


def _delivers(namespaces: tuple[str, ...], since: datetime | None) -> Test:
    """Return whether a delivery goes into the scope, or was made lately: what was delivered elsewhere may reach it."""
    earliest = _text(since)

    def wanted(item: Object) -> bool:
        if any(at(item, *path) in namespaces for path in _TARGETS):
            return True
        conditions = at(item, "status", "conditions")
        times = [at(item, *path) for path in _TIMES]
        if isinstance(conditions, list):
            times += [each.get("lastTransitionTime") for each in conditions if isinstance(each, dict)]
        return any(isinstance(time, str) and time >= earliest for time in times)

    return wanted
