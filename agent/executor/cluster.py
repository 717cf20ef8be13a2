"""The only door that writes to a cluster. Only the executor's composition root may import it.

The guard is a closed list of what may be asked: it is checked on every request, whatever a plan says.
"""

import json
import re
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlencode

import urllib3
from kubernetes.client.rest import RESTClientObject

from firstfault.agent.executor.steps import Call, Verb
from firstfault.tools.kube.errors import RefusedVerbError, UnreachableError
from firstfault.tools.kube.replies import Reply
from firstfault.tools.kube.settings import KubeSettings, Loaded, load_configuration
from firstfault.tools.readings import Json

_N = r"[a-z0-9][-a-z0-9.]*"
_IN = rf"/namespaces/{_N}"
_PATCHABLE = (
    rf"/api/v1/nodes/{_N}",
    rf"/apis/apps/v1{_IN}/(?:deployments|daemonsets)/{_N}",
    rf"/apis/batch/v1{_IN}/jobs/{_N}",
    rf"/apis/jobset\.x-k8s\.io/v1alpha2{_IN}/jobsets/{_N}",
    rf"/apis/kubeflow\.org/(?:v1{_IN}/pytorchjobs|v2beta1{_IN}/mpijobs)/{_N}",
    rf"/apis/kueue\.x-k8s\.io/v1beta1{_IN}/workloads/{_N}",
    rf"/apis/argoproj\.io/v1alpha1{_IN}/applications/{_N}",
    rf"/apis/helm\.toolkit\.fluxcd\.io/v2{_IN}/helmreleases/{_N}",
    rf"/apis/source\.toolkit\.fluxcd\.io/v1{_IN}/gitrepositories/{_N}",
)
_CREATABLE = (
    r"/apis/janitor\.dgxc\.nvidia\.com/v1alpha1/(?:rebootnodes|gpuresets|terminatenodes)",
    r"/apis/nodemaintenance\.medik8s\.io/v1beta1/nodemaintenances",
    rf"/apis/self-node-remediation\.medik8s\.io/v1alpha1{_IN}/selfnoderemediations",
)
_ALLOWED: Mapping[Verb, re.Pattern[str]] = {
    Verb.PATCH: re.compile("|".join(_PATCHABLE), re.ASCII),
    Verb.CREATE: re.compile("|".join(_CREATABLE), re.ASCII),
    Verb.EVICT: re.compile(rf"/api/v1{_IN}/pods/{_N}/eviction", re.ASCII),
}
_METHODS: Mapping[Verb, tuple[str, str]] = {
    Verb.PATCH: ("PATCH", "application/merge-patch+json"),
    Verb.CREATE: ("POST", "application/json"),
    Verb.EVICT: ("POST", "application/json"),
}


class Cluster(Protocol):
    """What a runner needs of a cluster."""

    def read(self, path: str) -> Reply:
        """Return the answer to a GET, whatever its code. Raises UnreachableError."""
        ...

    def send(self, call: Call, body: Mapping[str, Json]) -> Reply:
        """Return the answer to a call, whatever its code. Raises UnreachableError."""
        ...


def require_allowed(call: Call) -> None:
    """Return when the call is on the closed list. Raises RefusedVerbError."""
    if _ALLOWED[call.verb].fullmatch(call.path) is None:
        msg = f"`{call.verb} {call.path}` is not among the calls that the executor may make"
        raise RefusedVerbError(msg)


class WritableCluster:
    """One cluster, written to with the executor's own service account. Nothing is retried here."""

    def __init__(self, settings: KubeSettings) -> None:
        """Load the configuration; nothing is sent. Raises KubeConfigError."""
        self._settings = settings
        self._loaded: Loaded = load_configuration(settings)
        self._pool: urllib3.PoolManager = RESTClientObject(self._loaded).pool_manager

    def read(self, path: str) -> Reply:
        """Return the answer to a GET, whatever its code. Raises UnreachableError."""
        return self._ask("GET", path, None, "")

    def send(self, call: Call, body: Mapping[str, Json]) -> Reply:
        """Return the answer to a call, whatever its code. Raises RefusedVerbError or UnreachableError."""
        require_allowed(call)
        method, content_type = _METHODS[call.verb]
        query = urlencode({"fieldManager": "firstfault"})
        return self._ask(method, f"{call.path}?{query}", json.dumps(body).encode(), content_type)

    def close(self) -> None:
        """Close all connections."""
        self._pool.clear()

    def _ask(self, method: str, path: str, body: bytes | None, content_type: str) -> Reply:
        headers = {"Accept": "application/json", "User-Agent": self._settings.user_agent}
        headers |= {part["key"]: part["value"] for part in self._loaded.auth_settings().values()}
        if content_type:
            headers["Content-Type"] = content_type
        timeout = urllib3.Timeout(connect=self._settings.connect_s, read=self._settings.read_s)
        try:
            answer = self._pool.request(
                method,
                self._loaded.host + path,
                body=body,
                headers=headers,
                retries=False,
                redirect=False,
                timeout=timeout,
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            msg = f"no answer to `{method} {path}`: {' '.join(str(error).split())[:200]}"
            raise UnreachableError(msg) from error
        kept = {name.lower(): value for name, value in answer.headers.items()}
        return Reply(code=answer.status, headers=kept, body=answer.data)
