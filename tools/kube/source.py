"""A cluster as a source: what the API says of the things an incident is about, and nothing beyond its scope.

Asked by name and selector, never by listing the fleet: 5,000 nodes cost no more than five. Whatever the server refuses
becomes a gap and a coverage that says so; nothing is ever taken for healthy because it could not be read.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime

from firstfault.tools.evidence import CoverageState
from firstfault.tools.kube import resources
from firstfault.tools.kube.door import Object, ReadDoor
from firstfault.tools.kube.errors import ForbiddenError, KubeError, NotFoundError, UnreachableError
from firstfault.tools.kube.logs import LogRequest, log_requests
from firstfault.tools.kube.papers import Papers, said
from firstfault.tools.kube.plan import OPTIONAL, RELEASED, Asked, Scope, lasting, volatile
from firstfault.tools.kube.slimming import slim, slim_if
from firstfault.tools.patience import UNAUTHORIZED, Standing
from firstfault.tools.sources import Answer, Question, namespaces_asked, narrowed, nodes_asked
from firstfault.tools.times import Window

MAX_PARALLEL = 6
"""Reads at once. Ours: below what one client gets of an API server's fair share without waiting."""


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
        """Return objects, events and logs in scope; volatile ones only when asked so. The present only: see as_of.

        The API knows no past, so a question as of an earlier time is a gap.
        """
        papers = Papers(source=self.name, now=self.clock())
        if as_of is not None and as_of < papers.now:
            return narrowed(papers.no_past(), question)
        scope = Scope(
            nodes=nodes_asked(question, self.scope.nodes),
            namespaces=namespaces_asked(question, self.scope.namespaces),
        )
        work = _Work(door=self.door, papers=papers)
        with ThreadPoolExecutor(max_workers=MAX_PARALLEL, thread_name_prefix="cluster") as pool:
            work.read(pool, list(volatile(scope)))
            if not question.volatile_first:
                work.read(pool, list(lasting(scope, self._served(scope), window.start)))
            work.read_logs(pool, window)
        return narrowed(work.answer(), question)

    def _served(self, scope: Scope) -> Sequence[resources.Resource]:
        """Return the optional kinds worth asking for: all of them when the server does not tell what it serves."""
        if not scope.nodes and not scope.namespaces:
            return ()
        try:
            return self.door.served(OPTIONAL)
        except KubeError:
            return OPTIONAL


@dataclass(kw_only=True)
class _Work:
    """One reading of the cluster."""

    door: ReadDoor
    papers: Papers
    standing: Standing = field(default_factory=Standing)
    answers: list[Answer] = field(default_factory=list[Answer])
    pods: list[Object] = field(default_factory=list[Object])

    def read(self, pool: ThreadPoolExecutor, asked: Sequence[Asked]) -> None:
        """Do the reads; those that come after the server is lost are not tried."""
        done = list(pool.map(self._one, asked))
        left = [each for each, answer in zip(asked, done, strict=True) if answer is None]
        self.answers += [answer for answer in done if answer is not None]
        if left:
            why = self.standing.lost or "not tried"
            state = CoverageState.DENIED if self.standing.is_denied else CoverageState.UNAVAILABLE
            self.answers.append(self.papers.untried(left, why, state))

    def read_logs(self, pool: ThreadPoolExecutor, window: Window) -> None:
        """Read the logs of the pods that were found, last words first."""
        now = self.papers.now
        since_s = None if window.start is None else max(1, int((now - window.start).total_seconds()))
        wanted = log_requests(self.pods, since_s)
        self.answers += [answer for answer in pool.map(self._log, wanted) if answer is not None]

    def answer(self) -> Answer:
        """Return everything as one answer, in the order in which it was asked for."""
        return Answer(
            documents=tuple(each for answer in self.answers for each in answer.documents),
            coverage=tuple(each for answer in self.answers for each in answer.coverage),
            gaps=tuple(dict.fromkeys(each for answer in self.answers for each in answer.gaps)),
        )

    def _one(self, asked: Asked) -> Answer | None:
        if self.standing.lost is not None:
            return None
        items, problem = self._had(asked)
        if isinstance(problem, NotFoundError) and asked.resource in (*OPTIONAL, resources.LEASES):
            problem, items = None, None
        _note(self.standing, problem)
        if items is None:
            return Answer() if problem is None else self.papers.missed(asked, problem)
        rows = list(items)
        if asked.resource == resources.PODS:
            self.pods += rows
        answer = self.papers.objects(asked, rows, problem)
        return self.papers.with_releases(answer, rows) if asked.resource in RELEASED else answer

    def _had(self, asked: Asked) -> tuple[Iterable[Object] | None, KubeError | None]:
        """Return what came, None when nothing did, and what went wrong."""
        try:
            if asked.name is not None:
                return [slim(self.door.get(asked.resource, asked.name, asked.namespace))], None
            keep = slim if asked.keep is None else slim_if(asked.keep)
            found = self.door.gather(asked.resource, asked.namespace, asked.selectors, keep)
        except KubeError as error:
            return None, error
        return (found.items if found.items or found.problem is None else None), found.problem

    def _log(self, wanted: tuple[LogRequest, str | None]) -> Answer | None:
        request, node = wanted
        if self.standing.lost is not None:
            return None
        try:
            data = self.door.log(request)
        except KubeError as error:
            _note(self.standing, error)
            return self.papers.no_log(request, error)
        return self.papers.log(request, node, data)


def _note(standing: Standing, problem: KubeError | None) -> None:
    if isinstance(problem, UnreachableError):
        standing.silent(str(problem))
    elif isinstance(problem, ForbiddenError) and problem.status.code == UNAUTHORIZED:
        standing.refused(said(problem))
    else:
        standing.answered()
