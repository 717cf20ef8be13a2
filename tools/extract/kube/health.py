"""Whether everything that was read is well, or well again: what an on-call checks before looking for a fault. Pure.

Health is only stated where it was seen: workloads complete, pods Ready, nodes Ready, no recent warning. An empty answer
or a source that was not read is never health.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from firstfault.tools.evidence import Document
from firstfault.tools.extract.kube.cluster import Cluster, entity_of
from firstfault.tools.extract.kube.components import is_ready_pod
from firstfault.tools.extract.kube.marks import mark, mark_event
from firstfault.tools.extract.kube.refusals import condition_path
from firstfault.tools.extract.kube.workloads import counts
from firstfault.tools.kinds import Kind
from firstfault.tools.readings import Fact, KubeEvent, KubeObject
from firstfault.tools.signals import Signal

SETTLED = timedelta(minutes=10)
"""A warning older than this, with everything well now, is over; twice the longest back-off of a crash loop (5 min)."""
PROGRAM_ERRORS = frozenset(
    {
        *(
            f"app.{name}"
            for name in (
                "connection_refused",
                "connections_exhausted",
                "credentials_refused",
                "exception",
                "fatal",
            )
        ),
        *(f"app.dependency_{name}" for name in ("error", "read_only", "schema", "throttled", "timeout")),
        "route.upstream_failed",
        "dns.no_answer",
    }
)
"""Signals of lines in which a program says that its work fails."""
_HASH = re.compile(r"^(?P<workload>.+)-(?P<hash>[a-z0-9]{1,10})-(?P<pod>[a-z0-9]{1,6})$")
_LISTS = frozenset({Kind.KUBE_OBJECTS, Kind.KUBE_EVENTS, Kind.KUBECTL_GET})
_CONTINUED = re.compile(rb'"metadata"\s*:\s*\{[^{}]*"continue"\s*:\s*"[^"]')
_EDGE_BYTES = 1024
"""The metadata of a list stand at its start or its end."""
_FINE_ALERT = frozenset({"ok", "inactive", "resolved", "normal", "no data"})


def health_signals(
    cluster: Cluster, facts: Sequence[Fact], documents: Iterable[Document], now: datetime | None
) -> Iterator[Signal]:
    """Yield what is well: replaced revisions that end, complete workloads beside old warnings, all quiet."""
    yield from _replaced(cluster)
    read = tuple(documents)
    if any(_is_cut(document) for document in read if document.kind in _LISTS):
        return
    pods, nodes = cluster.fullest("pod"), cluster.fullest("node")
    well = [item for item in cluster.fullest("deployment", "statefulset", "daemonset") if _is_complete(item)]
    short = [
        item
        for item in cluster.fullest("deployment", "statefulset", "daemonset")
        if _is_complete(item) is False
    ]
    seen = well or [pod for pod in pods if is_ready_pod(pod)]
    if (
        not seen
        or short
        or not _all_ready(pods, cluster)
        or any(_node_ready(node) is False for node in nodes)
    ):
        return
    if any(str(fact.value).casefold() not in _FINE_ALERT for fact in facts if fact.name == "alert.state"):
        return
    warnings = [event for event in cluster.events if event.type == "Warning"]
    evidence = [item.cite(_ready_line(item)) for item in (*pods[:2], *nodes[:2])]
    anchor = seen[0]
    path = next(
        (
            p
            for p in ("status.unavailableReplicas", "status.readyReplicas", "status.availableReplicas")
            if anchor.get(p) is not None
        ),
        "",
    )
    if not warnings and _events_were_read(read):
        yield mark(
            anchor,
            path,
            "kube.health.all_quiet" if well else "kube.health.pods_quiet",
            also=evidence,
            workloads=len(well),
            pods=len(pods),
            nodes=len(nodes),
        )
    elif warnings and all(_is_over(event, now) for event in warnings):
        yield mark(
            anchor, path, "kube.health.over", also=evidence, workloads=len(well), warnings=len(warnings)
        )
        for event in warnings:
            yield mark_event(event, "kube.health.old_warning", message=event.message)


def _is_cut(document: Document) -> bool:
    """Return whether a list says that more of it was there: an API list that goes on has a `continue` token."""
    with document.body.open() as stream:
        head = stream.read(_EDGE_BYTES)
        stream.seek(max(0, document.body.size - _EDGE_BYTES))
        return any(_CONTINUED.search(edge) for edge in (head, stream.read(_EDGE_BYTES)))


def _ready_line(item: KubeObject) -> str:
    """Return the path that shows a reader that `item` is ready: the condition, else the name in the list."""
    found = condition_path(item, "Ready")
    return f"{found}.type" if found else "metadata.name"


def errors_go_on(signals: Sequence[Signal]) -> Iterator[Signal]:
    """Yield the first error of a program that came when the last warning of the cluster was already over."""
    ends = [s.stamp.at for s in signals if s.name == "kube.health.old_warning" and s.stamp.at is not None]
    if not ends:
        return
    over = max(ends) + SETTLED
    later = [s for s in signals if s.name in PROGRAM_ERRORS and not s.said_by_human and _after(s, over)]
    if later:
        yield replace(later[0], name="kube.health.errors_go_on")


def _after(signal: Signal, moment: datetime) -> bool:
    return signal.stamp.at is not None and signal.stamp.at > moment


def _is_complete(item: KubeObject) -> bool | None:
    desired, ready = counts(item)
    if not desired or ready is None:
        return None
    return ready >= desired


def _all_ready(pods: Sequence[KubeObject], cluster: Cluster) -> bool:
    ending = {pod.name for pod, _ in _ending_pods(cluster)}
    states = [is_ready_pod(pod) for pod in pods if pod.name not in ending]
    return all(states)


def _node_ready(node: KubeObject) -> bool | None:
    for condition in node.items("status.conditions"):
        if condition.get("type") == "Ready":
            return condition.get("status") == "True"
    words = node.columns.get("STATUS", "").split(",")
    return "Ready" in words if node.columns else None


def _events_were_read(documents: Iterable[Document]) -> bool:
    return any(document.kind is Kind.KUBE_EVENTS and document.complete for document in documents)


def _is_over(event: KubeEvent, now: datetime | None) -> bool:
    """Return whether a warning is old enough: by the clock, else by the age that the list itself prints."""
    stamp = event.last or event.first
    if stamp is None:
        return False
    if stamp.at is not None and now is not None:
        return now - stamp.at >= SETTLED
    if stamp.uptime_s is None or stamp.own_clock != "age":
        return False
    return timedelta(seconds=-stamp.uptime_s) >= SETTLED


def _replaced(cluster: Cluster) -> Iterator[Signal]:
    """Yield pods that are being removed because another revision of their workload is complete."""
    for pod, workload in _ending_pods(cluster):
        yield mark(
            pod,
            "metadata.deletionTimestamp",
            "kube.health.replaced_revision_ends",
            also=[workload.cite("status.readyReplicas")],
            workload=workload.name,
        )


def _ending_pods(cluster: Cluster) -> list[tuple[KubeObject, KubeObject]]:
    """Return (pod, workload) for pods with a deletion stamp whose workload is complete without them."""
    found: list[tuple[KubeObject, KubeObject]] = []
    for pod in cluster.fullest("pod"):
        match = _HASH.match(pod.name)
        if not pod.text("metadata.deletionTimestamp") or match is None:
            continue
        workload = cluster.find("deployment", match["workload"], pod.namespace)
        others = [
            _HASH.match(item.name)
            for item in cluster.fullest("pod")
            if item.name != pod.name and is_ready_pod(item)
        ]
        newer = [
            other
            for other in others
            if other and other["workload"] == match["workload"] and other["hash"] != match["hash"]
        ]
        if workload is not None and _is_complete(workload) and newer:
            found.append((pod, workload))
    return found


def ending_names(cluster: Cluster) -> frozenset[str]:
    """Return the keys of pods that are being removed: what they report is the end of them, not a fault."""
    return frozenset(
        entity_of(pod).key for pod in cluster.fullest("pod") if pod.text("metadata.deletionTimestamp")
    )
