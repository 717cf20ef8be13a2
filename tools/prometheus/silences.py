"""Silences of Alertmanager as a source: what people muted, by whom and why, and that muted alerts were never sent."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast

import orjson
import requests

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.patience import ANSWER_S, Patience, cause, not_json, remedy
from firstfault.tools.prometheus.transport import open_session
from firstfault.tools.sources import Answer, Question, narrowed
from firstfault.tools.times import Window

PATH = "alertmanager/silences.log"
TIMEOUT_S = 10.0
_OPERATORS = {(False, True): "=", (False, False): "!=", (True, True): "=~", (True, False): "!~"}
"""(isRegex, isEqual) → how a matcher is written. Source: Alertmanager API v2."""
Row = dict[str, object]
_OK = 200


class SilenceError(Exception):
    """Alertmanager did not answer usably; one line. code: of HTTP, 0 without an answer."""

    def __init__(self, why: str, code: int = 0) -> None:
        """Take the sentence and the code."""
        super().__init__(why)
        self.code = code


@dataclass(frozen=True, kw_only=True)
class SilenceSource:
    """Asks one Alertmanager. clock: aware UTC."""

    url: str
    clock: Callable[[], datetime]
    headers: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    timeout_s: float = TIMEOUT_S
    answer_s: float = ANSWER_S
    patience: Patience = field(default_factory=Patience)

    @property
    def name(self) -> str:
        """Return the name shown in reports and audit."""
        return "silences"

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return the silences that held inside the window, one a line, nothing later than `as_of`."""
        now = self.clock()
        until = min(moment for moment in (window.end, as_of, now) if moment is not None)
        since = min(window.start or until, until)
        try:
            rows = self.rows()
        except SilenceError as error:
            state = CoverageState.DENIED if error.code in {401, 403} else CoverageState.UNAVAILABLE
            entry = Coverage(source=self.name, kind=Kind.OPERATOR_NOTES, state=state)
            return narrowed(Answer(coverage=(entry,), gaps=(self._gap(str(error)),)), question)
        held = [row for row in rows if _held(row, since, until)]
        lines = sorted(_line(row) for row in held)
        document = Document(
            path=PATH,
            kind=Kind.OPERATOR_NOTES,
            body=MemoryBody("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")),
            source=self.name,
            query=f"GET {self.url}/api/v2/silences",
            window=Window(start=since, end=until),
            fetched_at=now,
        )
        coverage = Coverage(
            source=self.name,
            kind=Kind.OPERATOR_NOTES,
            state=CoverageState.PARTIAL,
            path=PATH,
            lines_read=len(lines),
            note="Alertmanager forgets silences five days after they ended",
        )
        muted = f"{len(held)} silences held in the window: alerts that they match were never sent"
        gaps = (self._gap(muted),) if held else ()
        return narrowed(Answer(documents=(document,), coverage=(coverage,), gaps=gaps), question)

    def rows(self) -> list[Row]:
        """Return all silences that the server still knows. Raises SilenceError."""
        found = self.ask("/api/v2/silences")[0]
        if not isinstance(found, list):
            raise SilenceError(self.strange(), _OK)
        return [cast("Row", each) for each in cast("list[object]", found) if isinstance(each, dict)]

    def strange(self) -> str:
        """Return what is said of an answer of somebody else."""
        return f"`{self.url}` gave no usable answer: it is JSON, but not what Alertmanager says"

    def ask(self, path: str) -> tuple[object, str | None]:
        """Return an answer as JSON, and what time the server said that it is. Raises SilenceError."""
        with open_session(self.url, self.headers, answer_s=self.answer_s, patience=self.patience) as session:
            try:
                answer = session.get(f"{self.url}{path}", timeout=self.timeout_s)
            except requests.RequestException as error:
                msg = f"`{self.url}` gave no usable answer: {cause(error)}"
                raise SilenceError(msg) from error
        if answer.status_code != _OK:
            msg = f"`{self.url}` gave no usable answer: HTTP {answer.status_code}{remedy(answer.status_code)}"
            raise SilenceError(msg, answer.status_code)
        try:
            found: object = orjson.loads(answer.content)
        except ValueError as error:
            msg = f"`{self.url}` gave no usable answer: {not_json(answer.headers.get('Content-Type'))}"
            raise SilenceError(msg, answer.status_code) from error
        return found, answer.headers.get("Date")

    def _gap(self, why: str) -> Gap:
        would_tell = "whether more fired than what was sent"
        return Gap(source=self.name, why=why, would_tell=would_tell, kind=Kind.OPERATOR_NOTES)


def _held(row: Row, since: datetime, until: datetime) -> bool:
    starts, ends = _time(row.get("startsAt")), _time(row.get("endsAt"))
    return starts is not None and starts <= until and (ends is None or ends >= since)


def _time(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at is None else at.replace(tzinfo=at.tzinfo or UTC)


def _line(row: Row) -> str:
    found = row.get("matchers")
    matchers = ", ".join(
        _matcher(cast("Row", each))
        for each in (cast("list[object]", found) if isinstance(found, list) else [])
        if isinstance(each, dict)
    )
    said = f"silenced {matchers or 'nothing'} until {row.get('endsAt')}: {row.get('comment') or 'no reason given'}"
    return " ".join(f"{row.get('startsAt')} @{row.get('createdBy') or 'somebody'} {said}".split())


def _matcher(row: Row) -> str:
    operator = _OPERATORS[row.get("isRegex") is True, row.get("isEqual") is not False]
    return f'{row.get("name")}{operator}"{row.get("value")}"'
