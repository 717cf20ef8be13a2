"""One answer of an API server, and what a refusal means."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import orjson

from firstfault.tools.kube.errors import (
    ConflictError,
    ForbiddenError,
    GoneError,
    NotFoundError,
    RejectedError,
    Status,
    StatusError,
    ThrottledError,
)
from firstfault.tools.patience import not_json, seconds_asked
from firstfault.tools.readings import Json

_OK = range(200, 300)
_KINDS: Mapping[int, type[StatusError]] = {
    401: ForbiddenError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    429: ThrottledError,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Status code, headers (lower case) and body as they came."""

    code: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def retry_after_s(self) -> int | None:
        """Return how long the server asks to wait, None when it does not."""
        return seconds_asked(self.headers.get("retry-after"))

    def json(self, asked: str) -> dict[str, Json]:
        """Return the body as an object. Raises StatusError for a refusal and for a body that is none."""
        if self.code not in _OK:
            raise refusal(self, asked)
        try:
            value = orjson.loads(self.body)
        except ValueError as error:
            raise RejectedError(self.garbled("a JSON object"), asked) from error
        if not isinstance(value, dict):
            raise RejectedError(self.garbled("a JSON object"), asked)
        return cast("dict[str, Json]", value)

    def garbled(self, wanted: str) -> Status:
        """Return what is said of a body that is not what was asked for."""
        message = not_json(self.headers.get("content-type")).replace("JSON", wanted, 1)
        return Status(code=self.code, reason="Garbled", message=message)


def refusal(reply: Reply, asked: str) -> StatusError:
    """Return the error that a refusing answer stands for; its body may be a Status object or plain text."""
    status = _status(reply)
    return _KINDS.get(reply.code, RejectedError)(status, asked)


def _status(reply: Reply) -> Status:
    text = reply.body.decode("utf-8", "backslashreplace")
    try:
        value = orjson.loads(text)
    except ValueError:
        value = None
    body = cast("dict[str, Json]", value) if isinstance(value, dict) else {}
    details = body.get("details")
    causes = details.get("causes") if isinstance(details, dict) else None
    message = body.get("message") if body else text
    return Status(
        code=reply.code,
        reason=str(body.get("reason") or "NoReason"),
        message=" ".join(str(message or "no message").split())[:300],
        causes=tuple(str(each.get("reason")) for each in causes if isinstance(each, dict))
        if isinstance(causes, list)
        else (),
        retry_after_s=reply.retry_after_s,
    )
