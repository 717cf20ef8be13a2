"""A server's answer read with suspicion: the text of its one message, and the usage where it makes sense. Pure."""

from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from firstfault.agent.model.port import ModelRefused, ModelReply, ModelUnreadable, Usage

MAX_ANSWER_CHARS = 64 * 1024
"""Longest text of a message that is looked at."""

MOST_TOKENS = 10_000_000
"""Above this a count of tokens is taken for nonsense."""


def _count(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def _part(value: object) -> object:
    return cast("object", value) if isinstance(value, dict) else None


Tokens = Annotated[int | None, BeforeValidator(_count)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Details(_Part):
    cached_tokens: Tokens = None


class _Usage(_Part):
    prompt_tokens: Tokens = None
    completion_tokens: Tokens = None
    prompt_tokens_details: Annotated[_Details | None, BeforeValidator(_part)] = None


class _Message(_Part):
    content: str | None = None
    refusal: str | None = None


class _Choice(_Part):
    message: _Message
    finish_reason: str | None = None


class _Completion(_Part):
    choices: list[_Choice]
    usage: Annotated[_Usage | None, BeforeValidator(_part)] = None


def reply_of(body: bytes) -> ModelReply:
    """Return the reply in a response body.

    Raises ModelUnreadable when there is no usable text in it, ModelRefused when the model declined.
    """
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError as error:
        msg = "the answer is not a chat completion"
        raise ModelUnreadable(msg) from error
    usage = _usage(completion.usage)
    if not completion.choices:
        msg = "the answer holds no message"
        raise ModelUnreadable(msg, usage)
    choice = completion.choices[0]
    if choice.message.refusal or choice.finish_reason == "content_filter":
        msg = "the model declined to answer"
        raise ModelRefused(msg, usage)
    text = choice.message.content or ""
    if not text.strip():
        msg = "the answer is empty"
        raise ModelUnreadable(msg, usage)
    if len(text) > MAX_ANSWER_CHARS:
        msg = f"the answer is longer than {MAX_ANSWER_CHARS} characters"
        raise ModelUnreadable(msg, usage)
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return ModelReply(text=clean, usage=usage, truncated=choice.finish_reason == "length")


def _usage(usage: _Usage | None) -> Usage:
    if usage is None:
        return Usage()
    details = usage.prompt_tokens_details
    return Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=details.cached_tokens if details is not None else None,
    )
