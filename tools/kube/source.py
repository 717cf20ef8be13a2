"""A cluster as a source: what the API says of the things an incident is about, and nothing beyond its scope.

Asked by name and selector, never by listing the fleet: 5,000 nodes cost no more than five. Whatever the server refuses
becomes a gap and a coverage that says so; nothing is ever taken for healthy because it could not be read.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.kube import resources
from firstfault.tools.kube.door import Object, ReadDoor, Resource
from firstfault.tools.kube.errors import ForbiddenError, KubeError, NotFoundError
from firstfault.tools.kube.logs import LogRequest, log_requests
from firstfault.tools.sources import Answer, Question, namespaces_asked, narrowed, nodes_asked
from firstfault.tools.times import Window

NAMESPACED = (
    resources.CLAIMS,
    resources.BUDGETS,
    resources.QUOTAS,
    resources.DEPLOYMENTS,
    resources.DAEMON_SETS,
    resources.STATEFUL_SETS,
    resources.REPLICA_SETS,
    resources.REVISIONS,
    resources.JOBS,
)
"""What is read of each namespace in scope, beside its pods and events."""
OPTIONAL = (
    resources.JOB_SETS,
    resources.PYTORCH_JOBS,
    resources.MPI_JOBS,
    resources.WORKLOADS,
    resources.APPLICATIONS,
    resources.HELM_RELEASES,
)
"""Kinds that a cluster may not serve: not found means not installed, no gap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What the incident is about: nodes by name, namespaces by name."""

    nodes: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()


@dataclass
class _Take:
    """What one reading of the cluster gives."""

    now: datetime
    documents: list[Document] = field(default_factory=list[Document])
    coverage: list[Coverage] = field(default_factory=list[Coverage])
    gaps: list[Gap] = field(default_factory=list[Gap])


@dataclass(frozen=True, kw_only=True)
class ClusterSource:
    """Reads one cluster through the read door. clock: aware UTC, when an answer came."""

    door: ReadDoor
    scope: Scope
    clock: Callable[[], datetime]
    cluster: str | None = None

    @property
    def name(self) -> str:
        """Return the name shown in reports and audit."""
        return f"kubernetes:{self.cluster}" if self.cluster else "kubernetes"

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return objects, events and logs in scope; volatile ones first when asked so. The present only: see as_of.

        The API knows no past, so a question as of an earlier time is a gap.
        """
        scope = Scope(
            nodes=nodes_asked(question, self.scope.nodes),
            namespaces=namespaces_asked(question, self.scope.namespaces),
        )
        return replace(self, scope=scope).read_scope(question, window, as_of)

    def read_scope(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return what `read` does for the scope as it is."""
        take = _Take(now=self.clock())
        if as_of is not None and as_of < take.now:
            return narrowed(self._no_past(), question)
        self._events(take)
        pods = self._pods(take)
        self._nodes(take)
        if not question.volatile_first:
            self._namespaced(take)
        self._logs(take, pods, window)
        whole = Answer(documents=tuple(take.documents), coverage=tuple(take.coverage), gaps=tuple(take.gaps))
        return narrowed(whole, question)

    def _no_past(self) -> Answer:
        why = "the Kubernetes API only knows the present"
        gap = Gap(
            source=self.name,
            why=why,
            would_tell="objects and events as they were then",
            kind=Kind.KUBE_OBJECTS,
        )
        return Answer(gaps=(gap,))

    def _events(self, take: _Take) -> None:
        for node in self.scope.nodes:
            selector = {"fieldSelector": f"involvedObject.kind=Node,involvedObject.name={node}"}
            self._listed(take, resources.EVENTS, None, selector, f"node-{node}")
        for namespace in self.scope.namespaces:
            self._listed(take, resources.EVENTS, namespace, {}, namespace)

    def _pods(self, take: _Take) -> list[Object]:
        found: list[Object] = []
        for node in self.scope.nodes:
            found += self._listed(
                take, resources.PODS, None, {"fieldSelector": f"spec.nodeName={node}"}, f"node-{node}"
            )
        for namespace in self.scope.namespaces:
            found += self._listed(take, resources.PODS, namespace, {}, namespace)
        return found

    def _nodes(self, take: _Take) -> None:
        for name in self.scope.nodes:
            path = resources.NODES.path(None, name)
            try:
                self._keep(
                    take, resources.NODES, [self.door.get(resources.NODES, name)], path, f"node-{name}"
                )
            except KubeError as error:
                self._missed(take, resources.NODES, path, error)

    def _namespaced(self, take: _Take) -> None:
        for namespace in self.scope.namespaces:
            for resource in (*NAMESPACED, *OPTIONAL):
                self._listed(take, resource, namespace, {}, namespace)

    def _listed(
        self, take: _Take, resource: Resource, namespace: str | None, selectors: dict[str, str], label: str
    ) -> list[Object]:
        path = resource.path(namespace) + "".join(f"?{name}={value}" for name, value in selectors.items())
        try:
            items = list(self.door.list(resource, namespace, selectors).items)
        except NotFoundError as error:
            if resource not in OPTIONAL:
                self._missed(take, resource, path, error)
            return []
        except KubeError as error:
            self._missed(take, resource, path, error)
            return []
        self._keep(take, resource, items, path, label)
        return items

    def _keep(self, take: _Take, resource: Resource, items: Sequence[Object], query: str, label: str) -> None:
        kind = Kind.KUBE_EVENTS if resource == resources.EVENTS else Kind.KUBE_OBJECTS
        body = {
            "apiVersion": "v1",
            "kind": "List",
            "items": [{"kind": resource.kind, **item} for item in items],
        }
        text = json.dumps(body, indent=1, ensure_ascii=False)
        path = f"kubernetes/{label}/{resource.plural}.json"
        take.documents.append(
            Document(
                path=path,
                kind=kind,
                body=MemoryBody(text.encode("utf-8", "backslashreplace")),
                source=self.name,
                query=f"GET {query}",
                complete=kind is not Kind.KUBE_EVENTS,
                fetched_at=take.now,
            )
        )
        state, note = CoverageState.COMPLETE, None
        if kind is Kind.KUBE_EVENTS:
            state, note = CoverageState.PARTIAL, "the API keeps events for one hour"
        take.coverage.append(
            Coverage(
                source=self.name,
                kind=kind,
                state=state,
                path=path,
                lines_read=text.count("\n") + 1,
                note=note,
            )
        )

    def _missed(self, take: _Take, resource: Resource, query: str, error: KubeError) -> None:
        kind = Kind.KUBE_EVENTS if resource == resources.EVENTS else Kind.KUBE_OBJECTS
        state = CoverageState.DENIED if isinstance(error, ForbiddenError) else CoverageState.UNAVAILABLE
        take.coverage.append(Coverage(source=self.name, kind=kind, state=state, note=query))
        take.gaps.append(
            Gap(
                source=self.name,
                why=str(error),
                would_tell=f"the {resource.plural} in scope and their state",
                kind=kind,
            )
        )

    def _logs(self, take: _Take, pods: Iterable[Object], window: Window) -> None:
        since_s = None if window.start is None else max(1, int((take.now - window.start).total_seconds()))
        for request, node in log_requests(pods, since_s):
            try:
                data = self.door.log(request)
            except KubeError as error:
                take.gaps.append(
                    Gap(
                        source=self.name,
                        why=str(error),
                        would_tell=f"what container {request.container} of {request.pod} said",
                        kind=Kind.CONTAINER_LOG,
                        entity=EntityRef(kind=EntityKind.POD, name=request.pod, namespace=request.namespace),
                    )
                )
                continue
            document = self._log_document(take, request, node, data)
            take.documents.append(document)
            note = "bounded in bytes and time; rotated lines are gone"
            take.coverage.append(
                Coverage(
                    source=self.name,
                    kind=document.kind,
                    state=CoverageState.PARTIAL,
                    path=document.path,
                    lines_read=data.count(b"\n"),
                    note=note,
                )
            )

    def _log_document(self, take: _Take, request: LogRequest, node: str | None, data: bytes) -> Document:
        which = "previous" if request.is_previous else "current"
        labels = {"namespace": request.namespace, "pod": request.pod, "container": request.container}
        return Document(
            path=f"kubernetes/{request.namespace}/{request.pod}/{request.container}.{which}.log",
            kind=Kind.CONTAINER_LOG,
            body=MemoryBody(data),
            source=self.name,
            query=f"GET {request.path}?container={request.container}&previous={str(request.is_previous).lower()}",
            labels={**labels, "node": node} if node else labels,
            entity=EntityRef(kind=EntityKind.POD, name=request.pod, namespace=request.namespace, node=node),
            fetched_at=take.now,
        )
