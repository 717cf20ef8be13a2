"""Whether a check holds in an object as it is read now. Reading errors are raised, never taken for an answer."""

from collections.abc import Iterable, Mapping
from typing import cast

from firstfault.agent.executor.cluster import Cluster
from firstfault.agent.executor.steps import Check, Test
from firstfault.tools.kube.errors import NotFoundError
from firstfault.tools.readings import Json

Object = dict[str, Json]


def first_unmet(
    cluster: Cluster, checks: Iterable[Check], seen: Mapping[str, Object | None] | None = None
) -> Check | None:
    """Return the first check that does not hold, or None. seen: objects by path that are not read again. Raises KubeError."""
    known = seen or {}
    for check in checks:
        found = known[check.path] if check.path in known else fetched(cluster, check.path)
        if not holds(check, found):
            return check
    return None


def fetched(cluster: Cluster, path: str) -> Object | None:
    """Return the object at `path`, or None when the server says that there is none. Raises KubeError.

    Only the server's own `NotFound` is believed: a proxy's 404 is no proof that something is gone.
    """
    try:
        return cluster.read(path).json(f"get {path}")
    except NotFoundError as error:
        if error.status.reason != "NotFound":
            raise
        return None


def holds(check: Check, found: Object | None) -> bool:
    """Return whether `check` holds in `found`."""
    if check.test is Test.ABSENT:
        return found is None or (
            check.value is not None and value_at(found, ("metadata", "uid")) != check.value
        )
    if found is None:
        return False
    if check.test is Test.CONDITION:
        return _condition(found, check.field[0]) == check.value
    if check.test is Test.ROLLED_OUT:
        return _is_rolled_out(found)
    return (value_at(found, check.field) == check.value) is (check.test is Test.IS)


def value_at(found: Object, path: tuple[str, ...]) -> Json:
    """Return what is at `path`; None when there is nothing."""
    value: Json = found
    for part in path:
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def _condition(found: Object, kind: str) -> Json:
    rows = value_at(found, ("status", "conditions"))
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and row.get("type") == kind:
            return row.get("status")
    return None


def _is_rolled_out(found: Object) -> bool:
    """Return whether the controller saw the newest spec and all pods run it.

    Source: kubectl rollout status: observed generation, updated and available counts.
    """
    status = value_at(found, ("status",))
    fields = cast("Object", status) if isinstance(status, dict) else {}
    if fields.get("observedGeneration") != value_at(found, ("metadata", "generation")):
        return False
    if value_at(found, ("kind",)) == "DaemonSet":
        wanted = fields.get("desiredNumberScheduled")
        return fields.get("updatedNumberScheduled") == wanted and fields.get("numberAvailable") == wanted
    wanted = value_at(found, ("spec", "replicas"))
    return fields.get("updatedReplicas") == wanted and fields.get("availableReplicas") == wanted
