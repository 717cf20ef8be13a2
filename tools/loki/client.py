"""The connection to a Loki server: what it says, read whole within a bounded time."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx
import orjson

from firstfault.tools.patience import (
    ANSWER_S,
    TOO_MANY,
    ImpatienceError,
    Patience,
    cause,
    not_json,
    remedy,
    seconds_asked,
    whole,
)

TIMEOUT_S = 15.0
_OK = 200


class LokiError(Exception):
    """Loki did not answer usably. code: of HTTP, 0 without an answer."""

    def __init__(self, why: str, code: int = 0) -> None:
        """Take the sentence and the code."""
        super().__init__(why)
        self.code = code


def connect(url: str, headers: Mapping[str, str], *, timeout_s: float = TIMEOUT_S) -> httpx.Client:
    """Return a client for one server; nothing is sent, proxies of the environment are not used."""
    return httpx.Client(base_url=url, headers=dict(headers), timeout=timeout_s, trust_env=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Asks one Loki. answer_s: longest time for one whole answer. patience: for a server that asks to wait."""

    client: httpx.Client
    answer_s: float = ANSWER_S
    patience: Patience = field(default_factory=Patience)

    def ask(self, path: str, query: Mapping[str, str]) -> object:
        """Return the answer as JSON. Raises LokiError with one line that names the remedy."""
        return self.heard(path, query)[0]

    def heard(self, path: str, query: Mapping[str, str]) -> tuple[object, str | None]:
        """Return the answer as JSON, and what time the server said that it is. Raises as `ask`."""
        while True:
            answer, body = self._once(path, query)
            asked_s = seconds_asked(answer.headers.get("Retry-After"))
            if answer.status_code != TOO_MANY or not self.patience.grants(asked_s):
                break
        if answer.status_code != _OK:
            said = " ".join(body.decode("utf-8", "backslashreplace").split())[:200]
            msg = f"Loki refuses ({answer.status_code}): {said}{remedy(answer.status_code)}"
            raise LokiError(msg, answer.status_code)
        try:
            found: object = orjson.loads(body)
        except ValueError as error:
            msg = f"Loki's answer cannot be read: {not_json(answer.headers.get('Content-Type'))}"
            raise LokiError(msg, answer.status_code) from error
        return found, answer.headers.get("Date")

    def text(self, path: str) -> str | None:
        """Return an answer that is plain text, None when there is none."""
        try:
            answer, body = self._once(path, {})
        except LokiError:
            return None
        return body.decode("utf-8", "replace") if answer.status_code == _OK else None

    def _once(self, path: str, query: Mapping[str, str]) -> tuple[httpx.Response, bytes]:
        try:
            with self.client.stream("GET", path, params=dict(query)) as answer:
                return answer, whole(answer.iter_bytes(), seconds=self.answer_s)
        except (httpx.HTTPError, ImpatienceError) as error:
            msg = f"no answer from Loki at `{self.client.base_url}`: {cause(error)}"
            raise LokiError(msg) from error
