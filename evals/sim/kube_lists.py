"""Lists as a server answers them: filtered, paged by limit and continue, as objects, tables or metadata only."""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from firstfault.evals.sim.kube_errors import bad_request, expired
from firstfault.evals.sim.kube_json import Body
from firstfault.evals.sim.kube_kinds import ServedKind
from firstfault.evals.sim.kube_selectors import field_test, label_test
from firstfault.evals.sim.kube_store import ObjectStore


def listed(store: ObjectStore, kind: ServedKind, namespace: str | None, query: Mapping[str, str]) -> Body:
    """Return the list object for a query. Raises Refusal for selectors and tokens that cannot be read or are too old."""
    by_label, by_field = (
        label_test(query.get("labelSelector", "")),
        field_test(query.get("fieldSelector", ""), kind),
    )
    with store.lock:
        rows = [row for row in store.all(kind, namespace) if by_label(row) and by_field(row)]
        version = store.version
        start = _start(query.get("continue"), store)
    if start:
        rows = [row for row in rows if _position(row) >= start]
    limit = int(query.get("limit") or 0)
    metadata: Body = {"resourceVersion": str(version)}
    if limit and len(rows) > limit:
        metadata |= {
            "continue": _token(version, _position(rows[limit])),
            "remainingItemCount": len(rows) - limit,
        }
        rows = rows[:limit]
    items = [{key: value for key, value in row.items() if key not in {"kind", "apiVersion"}} for row in rows]
    return {
        "kind": f"{kind.kind}List",
        "apiVersion": f"{kind.group}/{kind.version}".lstrip("/"),
        "metadata": metadata,
        "items": items,
    }


def _position(row: Mapping[str, Any]) -> str:
    return f"{row['metadata'].get('namespace', '')}/{row['metadata']['name']}\0"


def _token(version: int, start: str) -> str:
    content = {"v": "meta.k8s.io/v1", "rv": version, "start": start}
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def _start(token: str | None, store: ObjectStore) -> str | None:
    if not token:
        return None
    try:
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except binascii.Error:
        raw = b"\x81"
    try:
        content = json.loads(raw)
    except ValueError as error:
        what = f"invalid character '\\x{raw[:1].hex() or '00'}' looking for beginning of value"
        message = f"invalid continue token: continue key is not valid: {what}"
        raise bad_request(message) from error
    if content["rv"] < store.oldest:
        raise expired(content["rv"], store.oldest)
    return str(content["start"])


def accepted(body: Body, accept: str) -> Body:
    """Return a list or object in the form that `Accept` asks for."""
    if "as=Table" in accept:
        return _table(body)
    if "as=PartialObjectMetadata" in accept and "items" in body:
        rows = [
            {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": row["metadata"]}
            for row in body["items"]
        ]
        return {**body, "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "items": rows}
    return body


def _table(body: Body) -> Body:
    items = body.get("items", [body])
    columns = [
        {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0},
        {"name": "Age", "type": "string", "format": "", "description": "", "priority": 0},
    ]
    rows = [
        {
            "cells": [row["metadata"]["name"], "1m"],
            "object": {
                "kind": "PartialObjectMetadata",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": row["metadata"],
            },
        }
        for row in items
    ]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": body["metadata"],
        "columnDefinitions": columns,
        "rows": rows,
    }
