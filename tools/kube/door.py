"""Get and list objects as raw JSON. Lists are read page by page, each page cut down before the next is asked for."""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import cast
from urllib.parse import quote

from firstfault.tools.kube.connection import ReadConnection
from firstfault.tools.kube.errors import GoneError, KubeError, NotFoundError, RejectedError, Status
from firstfault.tools.kube.logs import LogRequest, read_log
from firstfault.tools.kube.replies import Reply
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.patience import TOO_MANY, Patience
from firstfault.tools.readings import Json

Object = dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One kind as the API names it. group: empty for the core. plural: as in the path.

    version: the one that is asked for; the same kind in another version is the same resource.
    """

    plural: str
    kind: str
    version: str = field(default="v1", compare=False)
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
    """All objects of a list, and the version of the collection that it shows.

    problem: what ended the list before its end; the objects that came before are there, and there may be more.
    """

    items: tuple[Object, ...]
    resource_version: str
    problem: KubeError | None = None


class ReadDoor:
    """Reads one cluster."""

    def __init__(self, settings: KubeSettings, patience: Patience | None = None) -> None:
        """Load the configuration; nothing is sent. patience: for a server that asks to wait. Raises KubeConfigError."""
        self._connection = ReadConnection(settings)
        self._page_size = settings.page_size
        self._patience = patience or Patience()

    def get(self, resource: Resource, name: str, namespace: str | None = None) -> Object:
        """Return one object. Raises KubeError."""
        path = resource.path(namespace, name)
        return self._asked(path, {}).json(f"get {path}")

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
        found = self.gather(resource, namespace, selectors)
        if found.problem is not None:
            raise found.problem
        return found

    def gather(
        self,
        resource: Resource,
        namespace: str | None = None,
        selectors: Mapping[str, str] | None = None,
        keep: Callable[[Object], Object | None] | None = None,
    ) -> Listing:
        """Return what could be had of a list, and what ended it early. keep: cuts an object down as it comes, or drops it.

        A list that grew too old on the way is begun again once.
        """
        listing = self._gather(resource.path(namespace), dict(selectors or {}), keep)
        if isinstance(listing.problem, GoneError):
            return self._gather(resource.path(namespace), dict(selectors or {}), keep)
        return listing

    def served(self, wanted: Iterable[Resource]) -> tuple[Resource, ...]:
        """Return those of `wanted` whose group the server has, in the version it prefers when ours is gone. Raises KubeError."""
        groups = _groups(self._asked("/apis", {}).json("list API groups"))
        return tuple(
            each if each.version in versions else replace(each, version=versions[0])
            for each in wanted
            if (versions := groups.get(each.group, ()))
        )

    def may(self, verb: str, resource: str, group: str = "") -> bool:
        """Return whether the server would let us; unknown is yes, so that a start check fails closed. Raises KubeError."""
        reply = self._connection.review({"verb": verb, "resource": resource, "group": group})
        status = reply.json("ask for our own rights").get("status")
        return not isinstance(status, dict) or status.get("allowed") is not False

    def log(self, request: LogRequest) -> bytes:
        """Return the log of a container with its time stamps, bounded in bytes. Raises KubeError."""
        return read_log(self._asked, request)

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()

    def _asked(self, path: str, query: Mapping[str, str]) -> Reply:
        """Return the answer; a server that asks to wait is asked again after that, while patience lasts."""
        while True:
            reply = self._connection.get(path, query)
            if reply.code != TOO_MANY or not self._patience.grants(reply.retry_after_s):
                return reply

    def _gather(
        self, path: str, query: dict[str, str], keep: Callable[[Object], Object | None] | None
    ) -> Listing:
        items: list[Object] = []
        version = ""
        try:
            for page in self._pages(path, query):
                rows, version = _rows(page), _metadata(page, "resourceVersion")
                items += rows if keep is None else [kept for row in rows if (kept := keep(row)) is not None]
        except KubeError as error:
            return Listing(items=tuple(items), resource_version=version, problem=error)
        return Listing(items=tuple(items), resource_version=version)

    def _pages(self, path: str, query: dict[str, str]) -> Generator[Object]:
        query["limit"] = str(self._page_size)
        token = ""
        while True:
            page = self._asked(path, query).json(f"list {path}")
            if "items" not in page:
                status = Status(code=200, reason="Garbled", message="the answer is not a list")
                raise RejectedError(status, f"list {path}")
            yield page
            previous, token = token, _metadata(page, "continue")
            if not token or token == previous:
                return
            query["continue"] = token
            # With a continue token the server refuses a version.
            query.pop("resourceVersion", None)


def _groups(body: Object) -> dict[str, tuple[str, ...]]:
    """Return the versions of each API group, the preferred one first."""
    rows = body.get("groups")
    found: dict[str, tuple[str, ...]] = {}
    for group in rows if isinstance(rows, list) else []:
        if isinstance(group, dict):
            versions = group.get("versions")
            listed = [group.get("preferredVersion"), *(versions if isinstance(versions, list) else [])]
            names = (each.get("version") for each in listed if isinstance(each, dict))
            found[str(group.get("name"))] = tuple(name for name in names if isinstance(name, str))
    return found


def _rows(page: Object) -> list[Object]:
    rows = page.get("items")
    return [cast("Object", row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _metadata(page: Object, name: str) -> str:
    metadata = page.get("metadata")
    value = metadata.get(name) if isinstance(metadata, dict) else None
    return value if isinstance(value, str) else ""
