"""Policies as written: what one says of itself, what it looks at, and which of them a site may write. Pure, no engine here.

Errors
└── PolicyError      a policy file or the schema cannot be used; the message names the file and the remedy
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from firstfault.policies.reasons import holes


class PolicyError(ValueError):
    """A policy file or the schema cannot be used."""


SITE_PREFIX = "site."
FACTS_PREFIX = "facts."
_MOVING = frozenset({"mode", "approvers"})
_RECORDS = frozenset({"facts", "history", "limits", "proposal"})
_CONTEXT = {"Var": "context"}
_ID = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One policy as written.

    actions: those it can apply to. reads: the paths of the context that its conditions look at (`facts.node_role`).
    shows: the paths that its reason is filled with.
    """

    id: str
    effect: str
    reason: str
    source: str
    file: str
    actions: frozenset[str]
    reads: frozenset[str]
    shows: frozenset[str]

    @property
    def is_site(self) -> bool:
        """Return whether an operator wrote it."""
        return self.id.startswith(SITE_PREFIX)

    @property
    def moves(self) -> bool:
        """Return whether its word can change with the mode or with approvals, while all else stays."""
        return not self.reads.isdisjoint(_MOVING)


def groups_of(entities: str) -> dict[str, frozenset[str]]:
    """Return action group → its actions; every action is also the only member of its own group."""
    groups: dict[str, set[str]] = {}
    for entity in cast("list[dict[str, Any]]", json.loads(entities)):
        name = str(entity["uid"]["id"])
        groups.setdefault(name, set())
        for parent in entity["parents"]:
            groups.setdefault(str(parent["id"]), set()).add(name)
    return {name: frozenset(members or {name}) for name, members in groups.items()}


def read_policy(file: str, body: dict[str, Any], groups: Mapping[str, frozenset[str]]) -> Policy:
    """Return the policy that Cedar's JSON form of it says. Raises PolicyError for what we do not take."""
    notes = cast("dict[str, str]", body.get("annotations", {}))
    identifier, reason = notes.get("id") or "", notes.get("reason") or ""
    is_site = file.startswith("site/")
    if _ID.fullmatch(identifier) is None or not reason:
        msg = f'a policy in `{file}` needs @id("area.name") in lower case and @reason("…"); it has @id("{identifier}")'
        raise PolicyError(msg)
    if is_site and body["effect"] != "forbid":
        msg = f"`{identifier}` in `{file}` is a permit: site policies may only forbid, or ask for `context.approvers`"
        raise PolicyError(msg)
    if is_site != identifier.startswith(SITE_PREFIX):
        msg = f"`{identifier}` in `{file}`: ids of site policies, and only those, begin with `{SITE_PREFIX}`"
        raise PolicyError(msg)
    whole = next(_taken_whole(body["conditions"]), None)
    if whole is not None:
        msg = f"`{identifier}` in `{file}` looks at `{whole}` as a whole: name the fields that it compares"
        raise PolicyError(msg)
    return Policy(
        id=identifier,
        effect=str(body["effect"]),
        reason=reason,
        source=notes.get("source") or file,
        file=file,
        actions=_scope(body["action"], groups),
        reads=frozenset(_paths_read(body["conditions"])),
        shows=frozenset(holes(reason)),
    )


def _scope(action: dict[str, Any], groups: Mapping[str, frozenset[str]]) -> frozenset[str]:
    if action["op"] == "All":
        return frozenset(member for members in groups.values() for member in members)
    named = action["entities"] if "entities" in action else [action["entity"]]
    unknown = sorted(str(entity["id"]) for entity in named if entity["id"] not in groups)
    if unknown:
        msg = f"unknown action `{unknown[0]}`: the schema lists all actions and groups"
        raise PolicyError(msg)
    return frozenset(member for entity in named for member in groups[entity["id"]])


def _paths_read(node: object) -> Iterable[str]:
    """Yield every dotted path of the context that a condition names."""
    if isinstance(node, dict):
        path = _path(cast("dict[str, Any]", node))
        if path:
            yield ".".join(path)
        for value in cast("dict[str, Any]", node).values():
            yield from _paths_read(value)
    elif isinstance(node, list):
        for value in cast("list[object]", node):
            yield from _paths_read(value)


def _taken_whole(node: object) -> Iterator[str]:
    """Yield the context, or a record in it, where it is used as a value: what such a policy looks at cannot be listed."""
    if isinstance(node, list):
        for value in cast("list[object]", node):
            yield from _taken_whole(value)
    elif isinstance(node, dict):
        fields = cast("dict[str, Any]", node)
        if fields == _CONTEXT:
            yield "context"
        elif "." in fields and len(path := _path(fields)) == 1 and path[0] in _RECORDS:
            yield f"context.{path[0]}"
        elif not _path(fields):
            yield from _taken_whole(list(fields.values()))


def _path(node: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the path that `context.a.b` or `context.a has b` names, or nothing."""
    if node == _CONTEXT:
        return ()
    for operator in (".", "has"):
        inner = node.get(operator)
        if isinstance(inner, dict):
            body = cast("dict[str, Any]", inner)
            left, attribute = body["left"], str(body["attr"])
            above = _path(left)
            return (*above, attribute) if above or left == _CONTEXT else ()
    return ()


def check_ids(policies: tuple[Policy, ...]) -> None:
    """Refuse two policies of one id. Raises PolicyError."""
    seen: dict[str, str] = {}
    for policy in policies:
        if policy.id in seen:
            msg = f"`{policy.id}` is in `{seen[policy.id]}` and in `{policy.file}`: give every policy its own @id"
            raise PolicyError(msg)
        seen[policy.id] = policy.file
