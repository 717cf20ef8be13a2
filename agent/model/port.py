"""What firstfault needs of a language model: one question, one answer, and what it cost.

Errors, and who reacts:

    ModelError                 the run goes on without the model, the report says why
    ├── ModelUnavailable       not reached, overloaded, too slow or broken off; asking later may work
    ├── ModelRefused           refused the key, the request or the content; asking again will not work
    └── ModelUnreadable        answered, but not with a usable chat completion; one repair may work
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


class Speaker(StrEnum):
    """Who a message is from."""

    SYSTEM = "system"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputSchema:
    """The JSON Schema that the answer must have; `name` is shown to the server."""

    name: str
    schema: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question.

    max_attempts: HTTP requests it may take, retries included. timeout_s: seconds for all of them together.
    step, prompt_digest: what the audit calls it; they do not travel.
    """

    step: str
    messages: tuple[Message, ...]
    output: OutputSchema
    max_completion_tokens: int
    max_attempts: int
    timeout_s: float
    prompt_digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What was used. attempts: HTTP requests made. Tokens are None where the server did not say."""

    attempts: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens. cached: for prompt tokens that the server had cached; None = as `prompt`."""

    prompt: float
    completion: float
    cached: float | None = None

    def of(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """Return the cost in US dollars."""
        cached = min(cached_tokens, prompt_tokens)
        cached_price = self.prompt if self.cached is None else self.cached
        return (
            (prompt_tokens - cached) * self.prompt
            + cached * cached_price
            + completion_tokens * self.completion
        ) / 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """One answer. truncated: the server stopped because of a length limit."""

    text: str
    usage: Usage
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelExchange:
    """One question with what became of it, as the audit and a cassette keep it."""

    request: ModelRequest
    model: str
    reply: ModelReply | None = None
    error: str | None = None
    usage: Usage = field(default_factory=Usage)


class ModelError(Exception):
    """The model gave no usable answer. `usage`: what the attempt cost all the same."""

    def __init__(self, message: str, usage: Usage | None = None) -> None:
        """Keep the one-line reason and the usage."""
        super().__init__(message)
        self.usage = usage or Usage()


class ModelUnavailable(ModelError):
    """The model was not reached, was overloaded, too slow or broken off."""


class ModelRefused(ModelError):
    """The model or its server refused the key, the request or the content."""


class ModelUnreadable(ModelError):
    """The answer is not a usable chat completion."""


class ModelPort(Protocol):
    """A model that can be asked."""

    @property
    def name(self) -> str:
        """Return the name shown in reports and audit."""
        ...

    @property
    def price(self) -> Price | None:
        """Return what tokens cost, or None where that is not known."""
        ...

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the answer.

        Raises ModelError within the request's limits of time and attempts.
        """
        ...
