"""How answers of a metrics server come in: whole within a bounded time, and asked for again when the server says so."""

import io
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit, urlunsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from firstfault.tools.lengths import LONGEST_URL
from firstfault.tools.patience import ANSWER_S, TOO_MANY, ImpatienceError, Patience, seconds_asked, whole

READS = ("/api/v1/query", "/api/v1/query_range", "/api/v1/series")
"""Where a form may be posted: these only read. Source: Prometheus, HTTP API; Thanos, Mimir and VictoriaMetrics alike."""
NO_POST = frozenset({403, 405, 501})
"""What says that this server, or a proxy before it, takes no form: method not allowed, not implemented, only reading."""
_FORM = "application/x-www-form-urlencoded"
_ONCE = Retry(total=0, read=0, connect=0, status=0, raise_on_status=False)
"""The code of a refusal is told as it came; who asks decides whether to ask again."""
_BLOCK = 1 << 16


def open_session(
    url: str, headers: Mapping[str, str], *, answer_s: float = ANSWER_S, patience: Patience | None = None
) -> requests.Session:
    """Return a session for one server, bounded as below; proxies of the environment are not used, nothing is sent."""
    session = requests.Session()
    session.trust_env = False
    session.headers.update(headers)
    session.mount(url, BoundedAdapter(answer_s=answer_s, patience=patience))
    return session


class RefusedMethodError(requests.RequestException):
    """A request would do more than read; it was not sent."""


class BoundedAdapter(HTTPAdapter):
    """Sends requests that read; a body that drips or does not end is given up.

    A question with a long address goes as a form, until the server takes none: then `takes_forms` is False.
    """

    def __init__(self, *, answer_s: float = ANSWER_S, patience: Patience | None = None) -> None:
        """Take how long one whole answer may take, and the patience for a server that asks to wait."""
        super().__init__(max_retries=_ONCE)
        self._answer_s = answer_s
        self._patience = patience or Patience()
        self.takes_forms = True

    def send(  # noqa: PLR0913, PLR0917 - the signature of requests
        self,
        request: requests.PreparedRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - as above
        timeout: float | tuple[float | None, float | None] | None = None,
        verify: bool | str = True,  # noqa: FBT001, FBT002 - as above
        cert: str | tuple[str, str] | None = None,
        proxies: dict[str, str] | None = None,
    ) -> requests.Response:
        """Return the answer with its whole body. Raises RequestException."""
        del stream
        if self.takes_forms and len(request.url or "") > LONGEST_URL:
            request = as_form(request)
        require_read(request)
        while True:
            response = super().send(
                request, stream=True, timeout=timeout, verify=verify, cert=cert, proxies=proxies
            )
            self._read(response)
            asked_s = seconds_asked(response.headers.get("Retry-After"))
            if response.status_code != TOO_MANY or not self._patience.grants(asked_s):
                break
        if request.method == "POST" and response.status_code in NO_POST:
            self.takes_forms = False
        return response

    def _read(self, response: requests.Response) -> None:
        raw: urllib3.HTTPResponse = response.raw
        try:
            body = whole(_parts(raw), seconds=self._answer_s)
        except (urllib3.exceptions.HTTPError, OSError, ImpatienceError) as error:
            raise requests.ConnectionError(" ".join(str(error).split())) from error
        finally:
            raw.close()
        response.raw = urllib3.HTTPResponse(
            body=io.BytesIO(body), headers=raw.headers, status=raw.status, preload_content=False
        )


def _parts(raw: urllib3.HTTPResponse) -> Iterator[bytes]:
    """Yield what has come as it comes, not yet decompressed."""
    while part := raw.read1(_BLOCK, decode_content=False):
        yield part


def as_form(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Return a question with what its address asks in a form; one that may not be posted as it is."""
    parts = urlsplit(request.url or "")
    if request.method != "GET" or not parts.path.endswith(READS):
        return request
    posted = request.copy()
    posted.method, posted.url, posted.body = "POST", urlunsplit(parts._replace(query="")), parts.query
    posted.headers["Content-Type"] = _FORM
    posted.headers["Content-Length"] = str(len(parts.query.encode()))
    return posted


def require_read(request: requests.PreparedRequest) -> None:
    """Return when the request only reads. Raises RefusedMethodError."""
    path = urlsplit(request.url or "").path
    is_form = request.headers.get("Content-Type") == _FORM
    if request.method == "GET" or (request.method == "POST" and is_form and path.endswith(READS)):
        return
    msg = f"{request.method} {path} is not sent: metrics servers are only read"
    raise RefusedMethodError(msg)
