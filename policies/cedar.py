"""The one door to the Cedar engine: texts in, a checked and parsed book of policies out, requests evaluated against it.

Cedar skips a policy that errs, which would let a forbid fall silent; here an error in any policy is reported beside the
answer and the caller denies. Policies are parsed and checked against the schema once.

One decision asks the same question in several modes and with several numbers of approvals. Most policies look at neither:
they are evaluated once (`settle`), and only the few others for each question (`evaluate`). A test compares both with
Cedar's own answer over all policies at once.
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
class Settled:
    """What the policies that look at neither mode nor approvals say. fired: forbids and permits by id."""

    fired: frozenset[str]
    errors: tuple[str, ...]


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
    _settled: cedarpy.PolicySet = field(repr=False, compare=False)
    _moving: cedarpy.PolicySet = field(repr=False, compare=False)
    _schema: cedarpy.Schema = field(repr=False, compare=False)
    _entities: cedarpy.Entities = field(repr=False, compare=False)

    @cached_property
    def reads_of(self) -> Mapping[str, frozenset[str]]:
        """Return, for each action, the facts that any forbid over it looks at: without them it cannot be decided."""
        return {action: self._facts(action) for action in self._actions}

    @cached_property
    def speaks_of(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Return, for each action and part of the context, the fields that its policies look at or show."""
        return {action: _fields(self._over(action)) for action in self._actions}

    @cached_property
    def moving_speaks_of(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Return the same of the policies that look at the mode or at approvals: all that `evaluate` needs of a context."""
        return {
            action: _fields(policy for policy in self._over(action) if policy.moves)
            for action in self._actions
        }

    @cached_property
    def _actions(self) -> tuple[str, ...]:
        return tuple(sorted({action for policy in self.policies for action in policy.actions}))

    def _facts(self, action: str) -> frozenset[str]:
        paths = {path for policy in self._over(action) if policy.effect == "forbid" for path in policy.reads}
        return frozenset(path.removeprefix(FACTS_PREFIX) for path in paths if path.startswith(FACTS_PREFIX))

    def _over(self, action: str) -> list[Policy]:
        return [policy for policy in self.policies if action in policy.actions]

    def settle(self, query: Query) -> Settled:
        """Return what holds in every mode and with any number of approvals; never raises for what a query holds."""
        answer = _authorize(_request(query), self._settled, self._entities)
        return Settled(fired=frozenset(answer.diagnostics.reasons), errors=_errors(answer))

    def evaluate(self, query: Query, settled: Settled) -> Verdict:
        """Return the answer over all policies; never raises for what a query holds."""
        answer = _authorize(_request(query), self._moving, self._entities)
        named = settled.fired | set(answer.diagnostics.reasons)
        fired = tuple(policy for policy in self.policies if policy.id in named)
        forbids = tuple(policy for policy in fired if policy.effect == "forbid")
        errors = tuple(sorted({*settled.errors, *_errors(answer)}))
        return Verdict(
            allowed=bool(fired) and not forbids and not errors, fired=forbids or fired, errors=errors
        )

    def misfits(self, query: Query) -> tuple[str, ...]:
        """Return what in `query` does not fit the schema; nothing when it fits. Slower than `evaluate`, for tests."""
        found = (
            _authorize(_request(query), policies, self._entities, schema=self._schema)
            for policies in (self._settled, self._moving)
        )
        return tuple(sorted({error for answer in found for error in _errors(answer)}))


def _errors(answer: cedarpy.AuthzResult) -> tuple[str, ...]:
    return tuple(sorted(str(error) for error in answer.diagnostics.errors))


def _fields(policies: Iterable[Policy]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for policy in policies:
        for path in policy.reads | policy.shows:
            part, _, name = path.partition(".")
            found.setdefault(part, set()).add(name)
    return {part: frozenset(names) for part, names in found.items()}


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
    written = [each for file, text in files.items() for each in _policies(file, text, groups)]
    policies = tuple(policy for policy, _ in written)
    check_ids(policies)
    _validate("\n".join(files.values()), schema, policies)
    return PolicyBook(
        policies=policies,
        digest=digest({"schema": schema, "files": files}),
        groups=groups,
        _settled=_set_of(body for policy, body in written if not policy.moves),
        _moving=_set_of(body for policy, body in written if policy.moves),
        _schema=parsed_schema,
        _entities=entities,
    )


def _named(files: Mapping[str, str]) -> dict[str, str]:
    return {name: files[name] for name in sorted(files)}


def _set_of(bodies: Iterable[dict[str, Any]]) -> cedarpy.PolicySet:
    """Return the policies parsed, each called by its @id."""
    named = {str(body["annotations"]["id"]): body for body in bodies}
    return cedarpy.PolicySet.from_json_str(
        json.dumps({"staticPolicies": named, "templates": {}, "templateLinks": []})
    )


def _policies(
    file: str, text: str, groups: Mapping[str, frozenset[str]]
) -> Iterable[tuple[Policy, dict[str, Any]]]:
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
        yield read_policy(file, static[name], groups), static[name]


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
