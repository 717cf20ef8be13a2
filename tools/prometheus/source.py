"""A metrics server as a source. What it does not have is unknown, never zero; warnings of the server become gaps."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

import requests
from prometheus_api_client.exceptions import PrometheusApiClientException
from prometheus_api_client.prometheus_connect import PrometheusConnect

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.patience import ANSWER_S, UNAUTHORIZED, Patience, Standing, cause, not_json, remedy
from firstfault.tools.prometheus.queries import METRIC_NAME, RangeQuery, queries_for, queries_named
from firstfault.tools.prometheus.transport import BoundedAdapter
from firstfault.tools.sources import Answer, Question, namespaces_asked, narrowed, nodes_asked
from firstfault.tools.times import Window

TIMEOUT_S = 10
"""The client has none of its own."""
MAX_SERIES = 2_000
"""Series kept of one answer; a busier one is cut and said to be partial."""
MAX_SERIES_IN_ALL = 8_000
"""Series kept of one reading: what is asked after that would only be thrown away."""
LENGTH = timedelta(hours=1)
"""How far back is looked when the window has no start."""
_OK = 200
_STATES = {401: CoverageState.DENIED, 403: CoverageState.DENIED}


@dataclass
class _Take:
    now: datetime
    documents: list[Document] = field(default_factory=list[Document])
    coverage: list[Coverage] = field(default_factory=list[Coverage])
    gaps: list[Gap] = field(default_factory=list[Gap])
    series: int = 0


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
        answer_s: float = ANSWER_S,
        patience: Patience | None = None,
    ) -> None:
        """Take the address and the scope; nothing is sent. timeout_s: longest silence; answer_s: for a whole answer."""
        session = requests.Session()
        session.trust_env = False
        session.hooks["response"].append(self._heard)
        self._url, self._nodes, self._namespaces, self._clock = url, nodes, namespaces, clock
        self._code = 0
        self._problem: str | None = None
        self._warnings: list[str] = []
        client: Any = PrometheusConnect
        self._client = client(url=url, headers=headers, session=session, timeout=timeout_s)
        # After the client has mounted its own, which asks three times and knows no end.
        self._adapter = BoundedAdapter(answer_s=answer_s, patience=patience)
        session.mount(url, self._adapter)

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return one document per query, series by series, nothing later than `as_of`."""
        take = _Take(now=self._clock())
        end = min(t for t in (window.end, as_of, take.now) if t is not None)
        start = window.start or end - LENGTH
        if start >= end:
            start = end - LENGTH
        standing = Standing()
        for query in self._queries(question, end - start):
            if take.series >= MAX_SERIES_IN_ALL:
                why = f"not asked for {query.what}: {take.series} series are kept of this scope already"
                self._missed(take, query, why, CoverageState.NOT_COLLECTED)
            elif standing.lost is None:
                self._ask(take, query, Window(start=start, end=end), standing)
            else:
                state = CoverageState.DENIED if standing.is_denied else CoverageState.UNAVAILABLE
                self._missed(take, query, standing.lost, state)
        gaps = tuple(dict.fromkeys(take.gaps))
        found = Answer(documents=tuple(take.documents), coverage=tuple(take.coverage), gaps=gaps)
        return narrowed(found, question)

    def _queries(self, question: Question, length: timedelta) -> tuple[RangeQuery, ...]:
        nodes = nodes_asked(question, self._nodes)
        namespaces = namespaces_asked(question, self._namespaces)
        if question.contains is not None and METRIC_NAME.fullmatch(question.contains):
            return queries_named(question.contains, nodes, namespaces, length)
        return queries_for(nodes, namespaces, length)

    def _ask(self, take: _Take, query: RangeQuery, window: Window, standing: Standing) -> None:
        self._code, self._problem, self._warnings = 0, None, []
        try:
            series = self._asked(query, window)
        except (
            requests.RequestException,
            PrometheusApiClientException,
            ValueError,
            KeyError,
            TypeError,
        ) as error:
            why = self._why(error)
            self._missed(take, query, why, _STATES.get(self._code, CoverageState.UNAVAILABLE))
            if self._code == 0:
                standing.silent(why)
            elif self._code == UNAUTHORIZED:
                standing.refused(why)
            return
        standing.answered()
        self._keep(take, query, window, series)
        take.gaps += [self._gap(f"the server warns: {said}") for said in self._warnings]

    def _asked(self, query: RangeQuery, window: Window) -> list[dict[str, object]]:
        """Return the series of a query: at once, or part by part from a server that takes no form."""
        if self._adapter.takes_forms:
            try:
                return self._range(query.promql, query.step_s, window)
            except PrometheusApiClientException:
                if self._adapter.takes_forms:
                    raise
        found: dict[str, dict[str, object]] = {}
        for part in query.parts:
            for each in self._range(part, query.step_s, window):
                found.setdefault(json.dumps(each.get("metric"), sort_keys=True), each)
        return list(found.values())

    def _range(self, promql: str, step_s: int, window: Window) -> list[dict[str, object]]:
        # The client rounds, and a later second is not to be seen. Steps are counted from the end: what is newest is in.
        end = cast("datetime", window.end).replace(microsecond=0)
        steps = (end - cast("datetime", window.start)) // timedelta(seconds=step_s)
        start = end - steps * timedelta(seconds=step_s)
        found: Any = self._client.custom_query_range(promql, start_time=start, end_time=end, step=str(step_s))
        return _series(found)

    def _keep(self, take: _Take, query: RangeQuery, window: Window, series: list[dict[str, object]]) -> None:
        kept = series[:MAX_SERIES]
        take.series += len(kept)
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

    def _missed(self, take: _Take, query: RangeQuery, why: str, state: CoverageState) -> None:
        take.coverage.append(
            Coverage(source=self.name, kind=Kind.PROMETHEUS_RESPONSE, state=state, note=query.what)
        )
        take.gaps.append(self._gap(why))

    def _why(self, error: Exception) -> str:
        if self._code == 0:
            reason = cause(error)
        elif self._code == _OK:
            reason = f"HTTP {self._code}, {self._problem or 'it is JSON, but not what Prometheus says'}"
        else:
            reason = f"HTTP {self._code}{remedy(self._code)}: {self._problem or 'no reason given'}"
        return f"`{self._url}` gave no usable answer: {reason}"

    def _gap(self, why: str) -> Gap:
        return Gap(
            source=self.name,
            why=why,
            would_tell="how counters, clocks and temperatures moved before the fault",
            kind=Kind.PROMETHEUS_RESPONSE,
        )

    def _heard(self, response: requests.Response, *_: object, **__: object) -> None:
        """Note the code, what was wrong, and the warnings that the client drops."""
        self._code, self._problem = response.status_code, None
        try:
            body: object = response.json()
        except ValueError:
            said = " ".join(response.text.split())[:150]
            usable = self._code == _OK or not said
            self._problem = not_json(response.headers.get("Content-Type")) if usable else said
            return
        if isinstance(body, dict):
            held = cast("dict[str, object]", body)
            said = held.get("warnings")
            self._warnings = (
                [str(each) for each in cast("list[object]", said)] if isinstance(said, list) else []
            )
            if held.get("isPartial") is True:
                self._warnings.append("the answer is partial: a part of the storage did not answer")
            self._problem = str(held["error"])[:200] if "error" in held else None


def _series(found: object) -> list[dict[str, object]]:
    if not isinstance(found, list):
        msg = "the result is not a list of series"
        raise TypeError(msg)
    return [cast("dict[str, object]", each) for each in cast("list[object]", found) if isinstance(each, dict)]
