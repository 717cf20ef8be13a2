"""A metrics server as a source. What it does not have is unknown, never zero; warnings of the server become gaps."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

import requests
from prometheus_api_client.exceptions import PrometheusApiClientException
from prometheus_api_client.prometheus_connect import PrometheusConnect
from urllib3.util.retry import Retry

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.prometheus.queries import METRIC_NAME, RangeQuery, queries_for, queries_named
from firstfault.tools.sources import Answer, Question, namespaces_asked, narrowed, nodes_asked
from firstfault.tools.times import Window

TIMEOUT_S = 10
"""The client has none of its own."""
MAX_SERIES = 2_000
"""Series kept of one answer; a busier one is cut and said to be partial."""
LENGTH = timedelta(hours=1)
"""How far back is looked when the window has no start."""
_ONCE = Retry(total=0, read=0, connect=0, status=0, raise_on_status=False)
"""The code of a refusal is told as it came; who asks decides whether to ask again."""
DENIED = frozenset({401, 403})


@dataclass
class _Take:
    now: datetime
    documents: list[Document] = field(default_factory=list[Document])
    coverage: list[Coverage] = field(default_factory=list[Coverage])
    gaps: list[Gap] = field(default_factory=list[Gap])


class PrometheusSource:
    """Asks one server for the metrics that rules exist for, on machines and namespaces in scope."""

    name = "prometheus"

    def __init__(  # noqa: PLR0913 - each is one setting
        self,
        url: str,
        *,
        nodes: tuple[str, ...],
        namespaces: tuple[str, ...],
        clock: Callable[[], datetime],
        headers: dict[str, str] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """Take the address and the scope; nothing is sent."""
        session = requests.Session()
        session.trust_env = False
        session.hooks["response"].append(self._heard)
        self._url, self._nodes, self._namespaces, self._clock = url, nodes, namespaces, clock
        self._code = 0
        self._warnings: list[str] = []
        client: Any = PrometheusConnect
        self._client = client(url=url, headers=headers, session=session, timeout=timeout_s, retry=_ONCE)

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return one document per query, series by series, nothing later than `as_of`."""
        take = _Take(now=self._clock())
        end = min(t for t in (window.end, as_of, take.now) if t is not None)
        start = window.start or end - LENGTH
        if start >= end:
            start = end - LENGTH
        for query in self._queries(question, end - start):
            self._ask(take, query, Window(start=start, end=end))
        whole = Answer(documents=tuple(take.documents), coverage=tuple(take.coverage), gaps=tuple(take.gaps))
        return narrowed(whole, question)

    def _queries(self, question: Question, length: timedelta) -> tuple[RangeQuery, ...]:
        nodes = nodes_asked(question, self._nodes)
        namespaces = namespaces_asked(question, self._namespaces)
        if question.contains is not None and METRIC_NAME.fullmatch(question.contains):
            return queries_named(question.contains, nodes, namespaces, length)
        return queries_for(nodes, namespaces, length)

    def _ask(self, take: _Take, query: RangeQuery, window: Window) -> None:
        self._code, self._warnings = 0, []
        try:
            found: Any = self._client.custom_query_range(
                query.promql, start_time=window.start, end_time=window.end, step=str(query.step_s)
            )
            series = _series(found)
        except (
            requests.RequestException,
            PrometheusApiClientException,
            ValueError,
            KeyError,
            TypeError,
        ) as error:
            self._missed(take, query, error)
            return
        self._keep(take, query, window, series)
        take.gaps += [self._gap(f"the server warns: {said}") for said in self._warnings]

    def _keep(self, take: _Take, query: RangeQuery, window: Window, series: list[dict[str, object]]) -> None:
        kept = series[:MAX_SERIES]
        path = f"prometheus/{query.what}.json"
        is_cut = len(kept) < len(series)
        # One series per line, so that each can be cited.
        rows = ",\n".join(json.dumps(each, ensure_ascii=False) for each in kept)
        text = f'{{"status":"success","data":{{"resultType":"matrix","result":[\n{rows}\n]}}}}\n'
        take.documents.append(
            Document(
                path=path,
                kind=Kind.PROMETHEUS_RESPONSE,
                body=MemoryBody(text.encode("utf-8", "backslashreplace")),
                source=self.name,
                query=f"query_range {query.promql} step {query.step_s}s",
                window=window,
                fetched_at=take.now,
            )
        )
        note = f"{len(series)} series; a metric without series is unknown, not zero"
        take.coverage.append(
            Coverage(
                source=self.name,
                kind=Kind.PROMETHEUS_RESPONSE,
                state=CoverageState.PARTIAL,
                path=path,
                window=window,
                note=note,
            )
        )
        if is_cut or not series:
            why = (
                f"only {MAX_SERIES} of {len(series)} series are kept"
                if is_cut
                else f"no series for {query.what}: no data or no access"
            )
            take.gaps.append(self._gap(why))

    def _missed(self, take: _Take, query: RangeQuery, error: Exception) -> None:
        state = CoverageState.DENIED if self._code in DENIED else CoverageState.UNAVAILABLE
        take.coverage.append(
            Coverage(source=self.name, kind=Kind.PROMETHEUS_RESPONSE, state=state, note=query.what)
        )
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        answered = f"HTTP {self._code}, " if self._code else ""
        take.gaps.append(self._gap(f"`{self._url}` gave no usable answer: {answered}{reason}"))

    def _gap(self, why: str) -> Gap:
        return Gap(
            source=self.name,
            why=why,
            would_tell="how counters, clocks and temperatures moved before the fault",
            kind=Kind.PROMETHEUS_RESPONSE,
        )

    def _heard(self, response: requests.Response, *_: object, **__: object) -> None:
        """Note the code, and the warnings that the client drops."""
        self._code = response.status_code
        try:
            body: object = response.json()
        except ValueError:
            return
        if isinstance(body, dict):
            said = cast("dict[str, object]", body).get("warnings")
            self._warnings = (
                [str(each) for each in cast("list[object]", said)] if isinstance(said, list) else []
            )


def _series(found: object) -> list[dict[str, object]]:
    if not isinstance(found, list):
        msg = "the result is not a list of series"
        raise TypeError(msg)
    return [cast("dict[str, object]", each) for each in cast("list[object]", found) if isinstance(each, dict)]
