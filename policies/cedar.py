"""The one door to the Cedar engine: texts in, a checked and parsed book of policies out, requests evaluated against it.

Cedar skips a policy that errs, which would let a forbid fall silent; here an error in any policy is reported beside the
answer and the caller denies. Policies are parsed once; every request is validated against the schema.

Errors
└── PolicyError      a policy file or the schema cannot be used; the message names the file and the remedy
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import cedarpy

from firstfault.policies.canonical import digest
from firstfault.policies.reasons import holes


class PolicyError(ValueError):
    """A policy file or the schema cannot be used."""


# The stubs of cedarpy leave `dict` without parameters; these are its three functions as we use them.
_authorize: Callable[..., cedarpy.AuthzResult] = cedarpy.is_authorized  # pyright: ignore[reportUnknownMemberType]
_validate_text: Callable[[str, str], cedarpy.ValidationResult] = cedarpy.validate_policies  # pyright: ignore[reportUnknownMemberType]
_entities_of: Callable[[str, cedarpy.Schema], cedarpy.Entities] = cedarpy.Entities.from_json_str  # pyright: ignore[reportUnknownMemberType]

SITE_PREFIX = "site."
FACTS_PREFIX = "facts."
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question to the engine."""

    principal: tuple[str, str]
    action: str
    resource: str
    context: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The engine's answer. fired: the forbids, or the permits when allowed, in the order of the book."""

    allowed: bool
    fired: tuple[Policy, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PolicyBook:
    """All policies, parsed and checked. Equal texts have equal digests. groups: action group → its actions."""

    policies: tuple[Policy, ...]
    digest: str
    groups: Mapping[str, frozenset[str]]
    _set: cedarpy.PolicySet = field(repr=False, compare=False)
    _schema: cedarpy.Schema = field(repr=False, compare=False)
    _entities: cedarpy.Entities = field(repr=False, compare=False)

    @cached_property
    def reads_of(self) -> Mapping[str, frozenset[str]]:
        """Return, for each action, the facts that any forbid over it looks at: without them it cannot be decided."""
        return {action: self._facts(action, shown=False) for action in self._actions}

    @cached_property
    def speaks_of(self) -> Mapping[str, frozenset[str]]:
        """Return, for each action, the facts that its policies look at or show: nothing else need be handed over."""
        return {action: self._facts(action, shown=True) for action in self._actions}

    @cached_property
    def _actions(self) -> tuple[str, ...]:
        return tuple(sorted({action for policy in self.policies for action in policy.actions}))

    def _facts(self, action: str, *, shown: bool) -> frozenset[str]:
        forbids = [
            policy for policy in self.policies if policy.effect == "forbid" and action in policy.actions
        ]
        paths = {
            path for policy in forbids for path in (policy.reads | policy.shows if shown else policy.reads)
        }
        return frozenset(path.removeprefix(FACTS_PREFIX) for path in paths if path.startswith(FACTS_PREFIX))

    def evaluate(self, query: Query) -> Verdict:
        """Return the engine's answer; never raises for what a query holds."""
        answer = _authorize(_request(query), self._set, self._entities)
        positions = sorted(int(name.removeprefix("policy")) for name in answer.diagnostics.reasons)
        errors = tuple(sorted(str(error) for error in answer.diagnostics.errors))
        return Verdict(
            allowed=answer.allowed and not errors,
            fired=tuple(self.policies[at] for at in positions),
            errors=errors,
        )

    def misfits(self, query: Query) -> tuple[str, ...]:
        """Return what in `query` does not fit the schema; nothing when it fits. Slower than `evaluate`, for tests."""
        answer = _authorize(_request(query), self._set, self._entities, schema=self._schema)
        return tuple(sorted(str(error) for error in answer.diagnostics.errors))


def _request(query: Query) -> dict[str, Any]:
    kind, name = query.principal
    return {
        "principal": {"type": kind, "id": name},
        "action": {"type": "Action", "id": query.action},
        "resource": {"type": "Target", "id": query.resource},
        "context": query.context,
    }


def compile_policies(
    builtin: Mapping[str, str], schema: str, site: Mapping[str, str] | None = None
) -> PolicyBook:
    """Return the book of built-in and site policies (file name → text). Raises PolicyError."""
    try:
        parsed_schema = cedarpy.Schema.from_str(schema)
        entities = _entities_of("[]", parsed_schema)
    except ValueError as error:
        msg = f"the policy schema cannot be parsed: {_one_line(error)}"
        raise PolicyError(msg) from error
    groups = _groups(str(entities))
    files = {
        **_named(builtin),
        **{f"site/{name}": text for name, text in _named(site or {}).items()},
    }
    policies = tuple(policy for file, text in files.items() for policy in _policies(file, text, groups))
    _check_ids(policies)
    text = "\n".join(files.values())
    _validate(text, schema, policies)
    return PolicyBook(
        policies=policies,
        digest=digest({"schema": schema, "files": files}),
        groups=groups,
        _set=cedarpy.PolicySet.from_str(text),
        _schema=parsed_schema,
        _entities=entities,
    )


def _named(files: Mapping[str, str]) -> dict[str, str]:
    return {name: files[name] for name in sorted(files)}


def _groups(entities: str) -> dict[str, frozenset[str]]:
    """Return action group → its actions; every action is also the only member of its own group."""
    groups: dict[str, set[str]] = {}
    for entity in cast("list[dict[str, Any]]", json.loads(entities)):
        name = str(entity["uid"]["id"])
        groups.setdefault(name, set())
        for parent in entity["parents"]:
            groups.setdefault(str(parent["id"]), set()).add(name)
    return {name: frozenset(members or {name}) for name, members in groups.items()}


def _policies(file: str, text: str, groups: Mapping[str, frozenset[str]]) -> Iterable[Policy]:
    try:
        document = json.loads(cedarpy.policies_to_json_str(text))
    except ValueError as error:
        msg = f"`{file}` is not Cedar: {_one_line(error)}"
        raise PolicyError(msg) from error
    if document.get("templates"):
        msg = f"`{file}` holds a template: write policies without slots"
        raise PolicyError(msg)
    static = cast("dict[str, dict[str, Any]]", document["staticPolicies"])
    for name in sorted(static, key=lambda key: int(key.removeprefix("policy"))):
        yield _policy(file, static[name], groups)


def _policy(file: str, body: dict[str, Any], groups: Mapping[str, frozenset[str]]) -> Policy:
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


def _path(node: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the path that `context.a.b` or `context.a has b` names, or nothing."""
    if node == {"Var": "context"}:
        return ()
    for operator in (".", "has"):
        inner = node.get(operator)
        if isinstance(inner, dict):
            body = cast("dict[str, Any]", inner)
            left, attribute = body["left"], str(body["attr"])
            above = _path(left)
            return (*above, attribute) if above or left == {"Var": "context"} else ()
    return ()


def _check_ids(policies: tuple[Policy, ...]) -> None:
    seen: dict[str, str] = {}
    for policy in policies:
        if policy.id in seen:
            msg = f"`{policy.id}` is in `{seen[policy.id]}` and in `{policy.file}`: give every policy its own @id"
            raise PolicyError(msg)
        seen[policy.id] = policy.file


def _validate(text: str, schema: str, policies: tuple[Policy, ...]) -> None:
    result = _validate_text(text, schema)
    if result.validation_passed:
        return
    error = result.errors[0]
    position = error.policy_id.removeprefix("policy")
    where = policies[int(position)] if position.isdigit() and int(position) < len(policies) else None
    named = f"`{where.id}` in `{where.file}`" if where else "a policy"
    msg = f"{named} does not fit the schema: {_one_line(error.error)}"
    raise PolicyError(msg)


def _one_line(error: object) -> str:
    return " ".join(str(error).split())
