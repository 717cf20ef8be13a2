"""Patches as the API applies them: merge, strategic merge (lists with a merge key), JSON patch."""

import copy
from typing import Any

from firstfault.evals.sim.kube_errors import bad_request

MERGE_KEYS = {
    "conditions": "type",
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "addresses": "type",
    "ownerReferences": "uid",
    "imagePullSecrets": "name",
}
"""Lists that strategic merge joins by a key; every other list is replaced (taints among them).

Source: Kubernetes API reference, fields with `Patch strategy: merge`.
"""


def patched(target: Any, patch: Any, content_type: str) -> Any:
    """Return `target` with `patch` applied; neither is changed. Raises Refusal for another content type."""
    if content_type == "application/merge-patch+json":
        return _merged(copy.deepcopy(target), patch, strategic=False)
    if content_type == "application/strategic-merge-patch+json":
        return _merged(copy.deepcopy(target), patch, strategic=True)
    if content_type == "application/json-patch+json":
        return _operated(copy.deepcopy(target), patch)
    message = f"the body of the request was in an unknown format - accepted media types include: {content_type}"
    raise bad_request(message)


def _merged(target: Any, patch: Any, *, strategic: bool) -> Any:
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    if strategic and patch.get("$patch") == "replace":
        return {key: copy.deepcopy(value) for key, value in patch.items() if key != "$patch"}
    result: dict[str, Any] = target if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif strategic and isinstance(value, list) and key in MERGE_KEYS:
            result[key] = _joined(result.get(key) or [], value, MERGE_KEYS[key])
        else:
            result[key] = _merged(result.get(key), value, strategic=strategic)
    return result


def _joined(rows: list[Any], patch: list[Any], key: str) -> list[Any]:
    result = list(rows)
    for row in patch:
        at = next((index for index, known in enumerate(result) if known.get(key) == row.get(key)), None)
        if row.get("$patch") == "delete":
            result = [known for known in result if known.get(key) != row.get(key)]
        elif at is None:
            result.append(copy.deepcopy(row))
        else:
            result[at] = _merged(result[at], row, strategic=True)
    return result


def _operated(target: Any, operations: list[dict[str, Any]]) -> Any:
    for operation in operations:
        *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
        place = target
        for part in parents:
            place = place[int(part)] if isinstance(place, list) else place.setdefault(part, {})
        _operate(place, last, operation)
    return target


def _operate(place: Any, last: str, operation: dict[str, Any]) -> None:
    if operation["op"] == "test":
        if place.get(last) != operation["value"]:
            message = f"testing path {operation['path']} failed"
            raise bad_request(message)
    elif operation["op"] == "remove":
        place.pop(last, None)
    elif isinstance(place, list):
        place.insert(len(place) if last == "-" else int(last), operation["value"])
    else:
        place[last] = operation["value"]
