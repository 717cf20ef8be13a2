"""What a cluster answered, as documents with their coverage, and what it did not, as gaps. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.kube import resources
from firstfault.tools.kube.door import Object, Resource
from firstfault.tools.kube.errors import ForbiddenError, KubeError, StatusError
from firstfault.tools.kube.logs import LogRequest
from firstfault.tools.kube.plan import Asked
from firstfault.tools.kube.slimming import LEFT_OUT, at, line_per_field
from firstfault.tools.patience import remedy
from firstfault.tools.sources import Answer

CORE = frozenset({"", "apps", "policy", "batch", "storage.k8s.io", "coordination.k8s.io", "discovery.k8s.io"})
"""Groups whose plurals are known by themselves; of others the group is in the name of the document."""
_NOT_FOUND = 404
_RELEASE = ("metadata", "annotations", "meta.helm.sh/release-name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Papers:
    """Makes documents and gaps. now: aware UTC, when the answers came."""

    source: str
    now: datetime

    def objects(self, asked: Asked, items: Iterable[Object], problem: KubeError | None = None) -> Answer:
        """Return the objects as one document, a field a line. problem: what ended the list early."""
        kind = kind_of(asked.resource)
        rows = [line_per_field({"kind": asked.resource.kind, **item}) for item in items]
        listed = b",\n".join(rows)
        # As the server says it of a page: more was there.
        goes_on = b'"metadata": {"continue": "not read"},\n' if problem else b""
        body = MemoryBody(
            b'{\n"apiVersion": "v1",\n"kind": "List",\n'
            + goes_on
            + b'"items": [\n'
            + listed
            + (b"\n]\n}\n" if rows else b"]\n}\n")
        )
        cut = f"the list ended after {len(rows)} objects" if problem else None
        path = f"kubernetes/{asked.label}/{_file(asked.resource)}.json"
        document = Document(
            path=path,
            kind=kind,
            body=body,
            source=self.source,
            query=f"GET {asked.query}, {LEFT_OUT}",
            complete=problem is None and kind is not Kind.KUBE_EVENTS,
            fetched_at=self.now,
            note=cut,
        )
        short = "the API keeps events for one hour" if kind is Kind.KUBE_EVENTS else None
        coverage = Coverage(
            source=self.source,
            kind=kind,
            state=CoverageState.PARTIAL if cut or short else CoverageState.COMPLETE,
            path=path,
            lines_read=listed.count(b"\n") + 1,
            note=cut or short,
        )
        gaps = () if problem is None else (self._gap(asked, problem, f"{cut}: "),)
        return Answer(documents=(document,), coverage=(coverage,), gaps=gaps)

    def with_releases(self, answer: Answer, items: Iterable[Object]) -> Answer:
        """Return the answer with a gap where Helm made some of the objects: what it changed is in Secrets."""
        names = sorted(
            {release for item in items if (release := at(item, *_RELEASE)) and isinstance(release, str)}
        )
        if not names:
            return answer
        gap = Gap(
            source=self.source,
            why=f"Helm keeps the history of {', '.join(names[:5])} in Secrets, which are never read",
            would_tell="which values each release changed; `helm history` and `helm diff` tell",
            kind=Kind.CHANGE_LOG,
        )
        return replace(answer, gaps=(*answer.gaps, gap))

    def missed(self, asked: Asked, problem: KubeError) -> Answer:
        """Return that nothing could be had."""
        state = CoverageState.DENIED if isinstance(problem, ForbiddenError) else CoverageState.UNAVAILABLE
        entry = Coverage(source=self.source, kind=kind_of(asked.resource), state=state, note=asked.query)
        return Answer(coverage=(entry,), gaps=(self._gap(asked, problem),))

    def untried(self, asked: Iterable[Asked], why: str, state: CoverageState) -> Answer:
        """Return that reads were not tried any more, in one sentence for each kind of document."""
        left = list(asked)
        kinds = dict.fromkeys(kind_of(each.resource) for each in left)
        return Answer(
            coverage=tuple(
                Coverage(
                    source=self.source,
                    kind=kind_of(each.resource),
                    state=state,
                    note=each.query,
                )
                for each in left
            ),
            gaps=tuple(
                Gap(source=self.source, why=why, would_tell="objects and events in scope", kind=kind)
                for kind in kinds
            ),
        )

    def log(self, request: LogRequest, node: str | None, data: bytes) -> Answer:
        """Return a log as a document."""
        which = "previous" if request.is_previous else "current"
        labels = {"namespace": request.namespace, "pod": request.pod, "container": request.container}
        document = Document(
            path=f"kubernetes/{request.namespace}/{request.pod}/{request.container}.{which}.log",
            kind=Kind.CONTAINER_LOG,
            body=MemoryBody(data),
            source=self.source,
            query=f"GET {request.path}?container={request.container}&previous={str(request.is_previous).lower()}",
            labels={**labels, "node": node} if node else labels,
            entity=EntityRef(kind=EntityKind.POD, name=request.pod, namespace=request.namespace, node=node),
            fetched_at=self.now,
        )
        coverage = Coverage(
            source=self.source,
            kind=Kind.CONTAINER_LOG,
            state=CoverageState.PARTIAL,
            path=document.path,
            lines_read=data.count(b"\n"),
            note="bounded in bytes and time; rotated lines are gone",
        )
        return Answer(documents=(document,), coverage=(coverage,))

    def no_log(self, request: LogRequest, problem: KubeError) -> Answer:
        """Return that a log could not be had."""
        gap = Gap(
            source=self.source,
            why=said(problem),
            would_tell=f"what container {request.container} of {request.pod} said",
            kind=Kind.CONTAINER_LOG,
            entity=EntityRef(kind=EntityKind.POD, name=request.pod, namespace=request.namespace),
        )
        state = CoverageState.DENIED if isinstance(problem, ForbiddenError) else CoverageState.UNAVAILABLE
        entry = Coverage(source=self.source, kind=Kind.CONTAINER_LOG, state=state, note=request.path)
        return Answer(coverage=(entry,), gaps=(gap,))

    def no_past(self) -> Answer:
        """Return that the API knows no past."""
        why = "the Kubernetes API only knows the present"
        would_tell = "objects and events as they were then"
        return Answer(gaps=(Gap(source=self.source, why=why, would_tell=would_tell, kind=Kind.KUBE_OBJECTS),))

    def _gap(self, asked: Asked, problem: KubeError, before: str = "") -> Gap:
        return Gap(
            source=self.source,
            why=before + said(problem),
            would_tell=f"the {asked.resource.plural} in scope and their state",
            kind=kind_of(asked.resource),
            entity=EntityRef(kind=EntityKind.NODE, name=asked.name)
            if asked.name and asked.resource == resources.NODES
            else None,
        )


def kind_of(resource: Resource) -> Kind:
    """Return the kind of document that a list of the resource is."""
    return Kind.KUBE_EVENTS if resource == resources.EVENTS else Kind.KUBE_OBJECTS


def said(problem: KubeError) -> str:
    """Return the error with what it means and what to do."""
    if not isinstance(problem, StatusError) or problem.status.code == _NOT_FOUND:
        return str(problem)
    return str(problem) + remedy(problem.status.code)


def _file(resource: Resource) -> str:
    return resource.plural if resource.group in CORE else f"{resource.plural}.{resource.group}"
