"""The one door to the Cedar engine: texts in, a checked and parsed book of policies out, requests evaluated against it.

Cedar skips a policy that errs, which would let a forbid fall silent; here an error in any policy is reported beside the
answer and the caller denies. Policies are parsed and checked against the schema once.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import cedarpy

from firstfault.policies.canonical import digest
from firstfault.policies.texts import FACTS_PREFIX, Policy, PolicyError, check_ids, groups_of, read_policy

# The stubs of cedarpy leave `dict` without parameters; these are its three functions as we use them.
_authorize = cast("Callable[..., cedarpy.AuthzResult]", cedarpy.is_authorized)
_validate_text = cast("Callable[[str, str], cedarpy.ValidationResult]", cedarpy.validate_policies)
_entities_of = cast("Callable[[str, cedarpy.Schema], cedarpy.Entities]", cedarpy.Entities.from_json_str)


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
        return {action: self._facts(action) for action in self._actions}

    @cached_property
    def speaks_of(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Return, for each action and part of the context, the fields that its policies look at or show."""
        return {action: self._fields(action) for action in self._actions}

    @cached_property
    def _actions(self) -> tuple[str, ...]:
        return tuple(sorted({action for policy in self.policies for action in policy.actions}))

    def _facts(self, action: str) -> frozenset[str]:
        paths = {path for policy in self._over(action) if policy.effect == "forbid" for path in policy.reads}
        return frozenset(path.removeprefix(FACTS_PREFIX) for path in paths if path.startswith(FACTS_PREFIX))

    def _fields(self, action: str) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for policy in self._over(action):
            for path in policy.reads | policy.shows:
                part, _, name = path.partition(".")
                found.setdefault(part, set()).add(name)
        return {part: frozenset(names) for part, names in found.items()}

    def _over(self, action: str) -> list[Policy]:
        return [policy for policy in self.policies if action in policy.actions]

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
    groups = groups_of(str(entities))
    files = {
        **_named(builtin),
        **{f"site/{name}": text for name, text in _named(site or {}).items()},
    }
    policies = tuple(policy for file, text in files.items() for policy in _policies(file, text, groups))
    check_ids(policies)
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
        yield read_policy(file, static[name], groups)


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
