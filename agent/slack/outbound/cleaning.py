"""Secrets taken out of everything that leaves for a chat. Pure.

What is not redacted yet is redacted before it is put into a message: escaped or cut, a secret may not be known as one any
more. Every text of the finished message passes the redactor once more.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from pydantic import JsonValue as Json

from firstfault.agent.executor.steps import Call, Check, Plan
from firstfault.agent.slack.standing import Asked

_TEXTS = frozenset(
    {"text", "fallback", "alt_text", "title", "accessibility_label", "initial_value", "errors"}
)
"""Keys under which there are words; all else is ours: kinds, ids, addresses of our own buttons."""


def cleaned(content: Mapping[str, Any], redact: Callable[[str], str]) -> dict[str, Any]:
    """Return a message or view with every text redacted."""
    return {key: _walk(value, redact, key) for key, value in content.items()}


def cleaned_plan(plan: Plan, redact: Callable[[str], str]) -> Plan:
    """Return a plan to be shown: what it would send, without secrets. It is not the plan that is run."""

    def call(given: Call | None) -> Call | None:
        return (
            None if given is None else replace(given, path=redact(given.path), body=_body(given.body, redact))
        )

    def checks(given: tuple[Check, ...]) -> tuple[Check, ...]:
        return tuple(replace(each, path=redact(each.path), value=_json(each.value, redact)) for each in given)

    return replace(
        plan,
        target=redact(plan.target),
        steps=tuple(
            replace(
                step,
                name=redact(step.name),
                call=call(step.call),
                undo=call(step.undo),
                before=checks(step.before),
                done=checks(step.done),
            )
            for step in plan.steps
        ),
    )


def cleaned_asked(asked: Asked, redact: Callable[[str], str]) -> Asked:
    """Return an approval to be shown: its reasons, and what became of it, without secrets."""
    decision = asked.decision.decision
    because = tuple(replace(each, reason=redact(each.reason)) for each in decision.would_be_because)
    shown = replace(asked.decision, decision=replace(decision, would_be_because=because))
    why, execution = asked.approval.superseded_why, asked.execution
    return replace(
        asked,
        decision=shown,
        approval=replace(asked.approval, superseded_why=None if why is None else redact(why)),
        execution=None if execution is None else replace(execution, why=redact(execution.why)),
        refused=None if asked.refused is None else redact(asked.refused),
        rehearsed=None if asked.rehearsed is None else redact(asked.rehearsed),
    )


def _body(body: Mapping[str, Json], redact: Callable[[str], str]) -> dict[str, Json]:
    return {key: _json(value, redact) for key, value in body.items()}


def _json(value: Json, redact: Callable[[str], str]) -> Json:
    if isinstance(value, dict):
        return _body(value, redact)
    if isinstance(value, list):
        return [_json(each, redact) for each in value]
    return redact(value) if isinstance(value, str) else value


def _walk(value: object, redact: Callable[[str], str], key: str) -> object:
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        return {name: _walk(item, redact, "text" if key == "errors" else name) for name, item in items}
    if isinstance(value, list | tuple):
        return [_walk(item, redact, key) for item in cast("list[object]", value)]
    return redact(value) if isinstance(value, str) and key in _TEXTS else value
