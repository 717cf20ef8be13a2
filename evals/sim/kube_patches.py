"""Patches as the API applies them: merge, strategic merge (lists with a merge key), JSON patch."""

import copy

from firstfault.evals.sim.kube_errors import bad_request
from firstfault.evals.sim.kube_json import Body, Value, as_body, as_rows

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


def patched(target: Body, patch: Value, content_type: str) -> Value:
    """Return `target` with `patch` applied; neither is changed. Raises Refusal for another content type."""
    if content_type == "application/merge-patch+json":
        return _merged(copy.deepcopy(target), patch, is_strategic=False)
    if content_type == "application/strategic-merge-patch+json":
        return _merged(copy.deepcopy(target), patch, is_strategic=True)
    if content_type == "application/json-patch+json":
        return _operated(copy.deepcopy(target), as_rows(patch) or [])
    message = (
        f"the body of the request was in an unknown format - accepted media types include: {content_type}"
    )
    raise bad_request(message)


def _merged(target: Value, patch: Value, *, is_strategic: bool) -> Value:
    changes = as_body(patch)
    if changes is None:
        return copy.deepcopy(patch)
    if is_strategic and changes.get("$patch") == "replace":
        return {key: copy.deepcopy(value) for key, value in changes.items() if key != "$patch"}
    result = as_body(target) or {}
    for key, value in changes.items():
        rows = as_rows(value)
        if value is None:
            result.pop(key, None)
        elif is_strategic and rows is not None and key in MERGE_KEYS:
            result[key] = _joined(as_rows(result.get(key)) or [], rows, MERGE_KEYS[key])
        else:
            result[key] = _merged(result.get(key), value, is_strategic=is_strategic)
    return result


def _joined(rows: list[Body], patch: list[Body], key: str) -> list[Body]:
    result = list(rows)
    for row in patch:
        at = next((index for index, known in enumerate(result) if known.get(key) == row.get(key)), None)
        if row.get("$patch") == "delete":
            result = [known for known in result if known.get(key) != row.get(key)]
        elif at is None:
            result.append(copy.deepcopy(row))
        else:
            result[at] = _merged(result[at], row, is_strategic=True)
    return result


def _operated(target: Body, operations: list[Body]) -> Body:
    for operation in operations:
        parts = [part.replace("~1", "/").replace("~0", "~") for part in str(operation["path"]).split("/")[1:]]
        place: Value = target
        for part in parts[:-1]:
            rows = as_rows(place)
            place = rows[int(part)] if rows is not None else place.setdefault(part, {})
        _operate(place, parts[-1], operation)
    return target


def _operate(place: Value, last: str, operation: Body) -> None:
    rows = as_rows(place)
    if operation["op"] == "test":
        if place.get(last) != operation["value"]:
            message = f"testing path {operation['path']} failed"
            raise bad_request(message)
    elif operation["op"] == "remove":
        place.pop(last, None)
    elif rows is not None:
        rows.insert(len(rows) if last == "-" else int(last), operation["value"])
    else:
        place[last] = operation["value"]
