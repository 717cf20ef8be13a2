"""Requests that read, over the official client's connection pool. The guard is the class itself: it has no other verb.

The one POST is SelfSubjectAccessReview, by which a process proves at start what it may not do.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

import urllib3
from kubernetes.client.rest import RESTClientObject

from firstfault.tools.kube.errors import RefusedVerbError, UnreachableError
from firstfault.tools.kube.replies import Reply
from firstfault.tools.kube.settings import KubeSettings, Loaded, load_configuration
from firstfault.tools.patience import ImpatienceError, cause, whole

REVIEW_PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What is sent."""

    path: str
    method: str = "GET"
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None


class ReadConnection:
    """Asks one API server. Not retried here: who asks decides whether to ask again."""

    def __init__(self, settings: KubeSettings) -> None:
        """Load the configuration; nothing is sent. Raises KubeConfigError."""
        self._settings = settings
        self._loaded: Loaded = load_configuration(settings)
        self._pool: urllib3.PoolManager = RESTClientObject(self._loaded).pool_manager

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Reply:
        """Return the answer, whatever its code. Raises UnreachableError."""
        return self._answer(_Request(path=path, query=query or {}))

    def review(self, attributes: Mapping[str, str]) -> Reply:
        """Return what the server says to `may I?`. Raises UnreachableError."""
        body = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": dict(attributes)},
        }
        return self._answer(_Request(method="POST", path=REVIEW_PATH, body=json.dumps(body).encode()))

    def close(self) -> None:
        """Close all connections."""
        self._pool.clear()

    def _answer(self, request: _Request) -> Reply:
        """Return the whole answer, read within `answer_s` however slowly it comes."""
        response = self._send(request)
        try:
            return _reply(response, whole(_parts(response), seconds=self._settings.answer_s))
        except (urllib3.exceptions.HTTPError, OSError, ImpatienceError) as error:
            response.close()
            raise UnreachableError(_no_answer(request.method, request.path, error)) from error
        finally:
            response.release_conn()

    def _send(self, request: _Request) -> urllib3.BaseHTTPResponse:
        if request.method != "GET" and (request.method, request.path) != ("POST", REVIEW_PATH):
            msg = f"`{request.method} {request.path}` is not a read: this process cannot write to a cluster"
            raise RefusedVerbError(msg)
        headers = {"Accept": "application/json", "User-Agent": self._settings.user_agent}
        headers |= {part["key"]: part["value"] for part in self._loaded.auth_settings().values()}
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        try:
            return self._pool.request(
                request.method,
                self._loaded.host + request.path + (f"?{urlencode(request.query)}" if request.query else ""),
                body=request.body,
                headers=headers,
                preload_content=False,
                retries=False,
                redirect=False,
                timeout=urllib3.Timeout(connect=self._settings.connect_s, read=self._settings.read_s),
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise UnreachableError(_no_answer(request.method, request.path, error)) from error


def _reply(response: urllib3.BaseHTTPResponse, body: bytes) -> Reply:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(code=response.status, headers=headers, body=body)


def _parts(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    """Yield what has come, as it comes: a read of a fixed length would wait for all of it."""
    while part := response.read1(_BLOCK):
        yield part


def _no_answer(method: str, path: str, error: Exception) -> str:
    return f"no answer to `{method} {path}`: {cause(error)}"
