"""One exchange with a model as it is kept in a cassette or in the store, and played again."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict

from firstfault.agent.model.budget import digest_of
from firstfault.agent.model.port import (
    ModelError,
    ModelPort,
    ModelRefused,
    ModelReply,
    ModelRequest,
    ModelUnavailable,
    ModelUnreadable,
    Usage,
)

Failure = Literal["unavailable", "refused", "unreadable"]
_ERRORS: dict[Failure, type[ModelError]] = {
    "unavailable": ModelUnavailable,
    "refused": ModelRefused,
    "unreadable": ModelUnreadable,
}


class KeptUsage(BaseModel):
    """What an exchange used; seconds to the millisecond."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attempts: int
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    seconds: float

    @classmethod
    def of(cls, usage: Usage) -> Self:
        """Return the kept form of `usage`."""
        return cls(
            attempts=usage.attempts,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cached_tokens=usage.cached_tokens,
            seconds=round(usage.seconds, 3),
        )


class Exchange(BaseModel):
    """A question by its digest, and the answer or the failure."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    step: str
    question: str
    text: str | None = None
    truncated: bool = False
    error: Failure | None = None
    why: str | None = None
    usage: KeptUsage

    def played(self) -> ModelReply:
        """Return the answer again. Raises ModelError as it was."""
        usage = Usage(**self.usage.model_dump())
        if self.error is not None:
            raise _ERRORS[self.error](self.why or "recorded failure", usage)
        return ModelReply(text=self.text or "", usage=usage, truncated=self.truncated)


def exchanged(model: ModelPort, request: ModelRequest) -> Exchange:
    """Return what came of asking `model`; a ModelError is kept as well, not raised."""
    question = digest_of(request.messages)
    try:
        reply = model.complete(request)
    except ModelError as error:
        usage = KeptUsage.of(error.usage)
        return Exchange(
            step=request.step, question=question, error=_failure(error), why=str(error), usage=usage
        )
    usage = KeptUsage.of(reply.usage)
    return Exchange(
        step=request.step, question=question, text=reply.text, truncated=reply.truncated, usage=usage
    )


def _failure(error: ModelError) -> Failure:
    for name, kind in _ERRORS.items():
        if isinstance(error, kind):
            return name
    return "unavailable"
