"""Get, list and watch objects as raw JSON. Lists are read page by page; one that grew too old on the way is begun again once."""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import quote

from firstfault.tools.kube.connection import ReadConnection
from firstfault.tools.kube.errors import GoneError, NotFoundError, RejectedError, Status
from firstfault.tools.kube.logs import LogRequest, read_log
from firstfault.tools.kube.replies import Reply, refusal
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.readings import Json

Object = dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One kind as the API names it. group: empty for the core. plural: as in the path."""

    plural: str
    kind: str
    version: str = "v1"
    group: str = ""

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """Return the path of the collection, or of one object."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        inside = (
            f"{root}/namespaces/{quote(namespace, safe='')}/{self.plural}"
            if namespace
            else f"{root}/{self.plural}"
        )
        return f"{inside}/{quote(name, safe='')}" if name else inside


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All objects of a list, and the resource version to watch from."""

    items: tuple[Object, ...]
    resource_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One event of a watch: ADDED, MODIFIED, DELETED or BOOKMARK."""

    type: str
    object: Object


class ReadDoor:
    """Reads one cluster."""

    def __init__(self, settings: KubeSettings) -> None:
        """Load the configuration; nothing is sent. Raises KubeConfigError."""
        self._connection = ReadConnection(settings)
        self._page_size = settings.page_size

    def get(self, resource: Resource, name: str, namespace: str | None = None) -> Object:
        """Return one object. Raises KubeError."""
        path = resource.path(namespace, name)
        return self._connection.get(path).json(f"get {path}")

    def find(self, resource: Resource, name: str, namespace: str | None = None) -> Object | None:
        """Return one object, or None when the server says that there is none. Raises KubeError."""
        try:
            return self.get(resource, name, namespace)
        except NotFoundError:
            return None

    def list(
        self, resource: Resource, namespace: str | None = None, selectors: Mapping[str, str] | None = None
    ) -> Listing:
        """Return every object, page by page. selectors: `labelSelector`, `fieldSelector`. Raises KubeError."""
        path = resource.path(namespace)
        try:
            return self._pages(path, dict(selectors or {}))
        except GoneError:
            return self._pages(path, dict(selectors or {}))

    def watch(self, resource: Resource, resource_version: str, seconds: int) -> Generator[Change]:
        """Give changes as they come, for `seconds`. Raises GoneError when the version is too old, KubeError else."""
        query = {"watch": "true", "resourceVersion": resource_version, "timeoutSeconds": str(seconds)}
        path = resource.path()
        for line in self._connection.stream(path, {**query, "allowWatchBookmarks": "true"}, seconds):
            yield _change(line, path)

    def may(self, verb: str, resource: str, group: str = "") -> bool:
        """Return whether the server would let us; unknown is yes, so that a start check fails closed. Raises KubeError."""
        reply = self._connection.review({"verb": verb, "resource": resource, "group": group})
        status = reply.json("ask for our own rights").get("status")
        return not isinstance(status, dict) or status.get("allowed") is not False

    def log(self, request: LogRequest) -> bytes:
        """Return the log of a container with its time stamps, bounded in bytes. Raises KubeError."""
        return read_log(self._connection, request)

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()

    def _pages(self, path: str, query: dict[str, str]) -> Listing:
        items: list[Object] = []
        query["limit"] = str(self._page_size)
        while True:
            page = self._connection.get(path, query).json(f"list {path}")
            rows = page.get("items")
            items += (
                [cast("Object", row) for row in rows if isinstance(row, dict)]
                if isinstance(rows, list)
                else []
            )
            metadata = page.get("metadata")
            fields = metadata if isinstance(metadata, dict) else {}
            token = fields.get("continue")
            if not isinstance(token, str) or not token:
                return Listing(items=tuple(items), resource_version=str(fields.get("resourceVersion") or ""))
            query["continue"] = token


def _change(line: bytes, path: str) -> Change:
    try:
        event = json.loads(line)
    except ValueError as error:
        raise RejectedError(
            Status(code=200, reason="Garbled", message="a line is not JSON"), f"watch {path}"
        ) from error
    kind, body = str(event.get("type")), cast("Object", event.get("object") or {})
    if kind == "ERROR":
        code = body.get("code")
        raise refusal(
            Reply(code=code if isinstance(code, int) else 0, headers={}, body=json.dumps(body).encode()),
            f"watch {path}",
        )
    return Change(type=kind, object=body)
