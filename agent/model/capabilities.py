"""What a model server can do, found out by asking it two questions. Used by `firstfault model check`."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from firstfault.agent.model.port import (
    Message,
    ModelError,
    ModelPort,
    ModelReply,
    ModelRequest,
    OutputSchema,
    Speaker,
    Usage,
)

CONTEXT_NEEDED_TOKENS = 12_000
"""Longest prompt that an ordinary incident needs, with room to spare; the check sends one of about this size."""
_FILLER = "node-17 kubelet heartbeat ok latency 12 ms\n"
_WORD = "seventeen"
_SCHEMA = OutputSchema(
    name="probe",
    schema={
        "type": "object",
        "properties": {
            "word": {"type": "string"},
            "numbers": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["word", "numbers"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the check. passed: None where it says something without being good or bad."""

    what: str
    answer: str
    passed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """Everything that was found out. usable: the model can deliberate."""

    findings: tuple[Finding, ...]
    usable: bool


def probe(model: ModelPort, form_of_answers: Callable[[], str]) -> Capabilities:
    """Return what `model` can do; failures are findings. form_of_answers: what the client learnt of the server by then."""
    try:
        first = model.complete(
            _request("Answer with the word `seventeen` and the numbers 1, 2, 3.", attempts=6)
        )
    except ModelError as error:
        return Capabilities(
            findings=(Finding(what="reached", answer=str(error), passed=False),), usable=False
        )
    answers = _is_right(first.text)
    structured = Finding(what="structured output", answer=_form(form_of_answers()), passed=answers)
    context = _context(model)
    usable = answers and context.passed is not False
    findings = (
        Finding(what="reached", answer=f"as `{model.name}`", passed=True),
        structured,
        Finding(what="tools", answer="not needed: reads are part of the structured answer"),
        context,
        Finding(what="speed", answer=_speed(first.usage)),
        Finding(what="usage", answer=_counted(first)),
        Finding(what="cost", answer="unknown: set `model.prices`" if model.price is None else "known"),
    )
    return Capabilities(findings=findings, usable=usable)


def _request(text: str, *, attempts: int) -> ModelRequest:
    return ModelRequest(
        step="probe",
        messages=(
            Message(speaker=Speaker.SYSTEM, text="You answer with JSON: {word, numbers}."),
            Message(speaker=Speaker.USER, text=text),
        ),
        output=_SCHEMA,
        max_completion_tokens=400,
        max_attempts=attempts,
        timeout_s=60.0,
    )


def _is_right(text: str) -> bool:
    try:
        found: object = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return False
    return isinstance(found, dict) and cast("dict[str, object]", found).get("word") == _WORD


def _form(form: str) -> str:
    return (
        form
        if form == "json_schema"
        else f"{form}: set `model.structured` to it, so that it is not found out anew"
    )


def _context(model: ModelPort) -> Finding:
    filler = _FILLER * (CONTEXT_NEEDED_TOKENS * 5 // 2 // len(_FILLER))
    try:
        reply = model.complete(
            _request(f"{filler}\nAnswer with the word `seventeen` and no numbers.", attempts=2)
        )
    except ModelError as error:
        return Finding(
            what="context", answer=f"less than {CONTEXT_NEEDED_TOKENS} tokens: {error}", passed=False
        )
    answer = f"at least {reply.usage.prompt_tokens or CONTEXT_NEEDED_TOKENS} tokens"
    return Finding(what="context", answer=answer, passed=_is_right(reply.text))


def _speed(usage: Usage) -> str:
    tokens = usage.completion_tokens
    if not tokens or usage.seconds <= 0:
        return f"{usage.seconds:.1f} s for a short answer"
    return f"{usage.seconds:.1f} s for a short answer, {tokens / usage.seconds:.0f} tokens/s"


def _counted(reply: ModelReply) -> str:
    usage = reply.usage
    if usage.prompt_tokens is None:
        return "not reported: budgets use an estimate"
    cached = "" if usage.cached_tokens is None else f", {usage.cached_tokens} cached"
    return f"{usage.prompt_tokens} + {usage.completion_tokens} tokens{cached}"
