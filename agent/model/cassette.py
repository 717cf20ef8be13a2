"""Exchanges with a model kept in a file and played back: the same run again, without a network.

A cassette is JSON lines: a header, then one line per exchange in order. Playing back matches the digest of the question.

    CassetteError      the file cannot be used; the message names the line and the remedy
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from firstfault.agent.model.budget import digest_of
from firstfault.agent.model.port import (
    ModelError,
    ModelPort,
    ModelRefused,
    ModelReply,
    ModelRequest,
    ModelUnavailable,
    ModelUnreadable,
    Price,
    Usage,
)

FORMAT = "firstfault.cassette/v1"
Failure = Literal["unavailable", "refused", "unreadable"]
_ERRORS: dict[Failure, type[ModelError]] = {
    "unavailable": ModelUnavailable,
    "refused": ModelRefused,
    "unreadable": ModelUnreadable,
}


class CassetteError(Exception):
    """The cassette cannot be used."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _PriceLine(_Line):
    prompt: float
    completion: float
    cached: float | None = None


class _Header(_Line):
    format: Literal["firstfault.cassette/v1"] = FORMAT
    model: str
    price: _PriceLine | None = None


class _UsageLine(_Line):
    attempts: int
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    seconds: float

    @classmethod
    def of(cls, usage: Usage) -> Self:
        return cls(
            attempts=usage.attempts,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cached_tokens=usage.cached_tokens,
            seconds=round(usage.seconds, 3),
        )

    def usage(self) -> Usage:
        return Usage(**self.model_dump())


class _Exchange(_Line):
    step: str
    question: str
    text: str | None = None
    truncated: bool = False
    error: Failure | None = None
    why: str | None = None
    usage: _UsageLine


@dataclass(kw_only=True)
class RecordingModel:
    """Passes every question on and writes what came back to `path`, one line at a time."""

    inner: ModelPort
    path: Path

    def __post_init__(self) -> None:
        """Start the file anew. Raises CassetteError when it cannot be written."""
        price = self.inner.price
        header = _Header(model=self.inner.name, price=None if price is None else _PriceLine(**asdict(price)))
        try:
            self.path.write_text(header.model_dump_json() + "\n", encoding="utf-8")
        except OSError as error:
            msg = f"the cassette `{self.path}` cannot be written: name a file in a writable folder"
            raise CassetteError(msg) from error

    @property
    def name(self) -> str:
        """Return the name of the model that is recorded."""
        return self.inner.name

    @property
    def price(self) -> Price | None:
        """Return the recorded model's price."""
        return self.inner.price

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the recorded model's answer. Raises ModelError as it does."""
        question = digest_of(request.messages)
        try:
            reply = self.inner.complete(request)
        except ModelError as error:
            usage = _UsageLine.of(error.usage)
            self._write(
                _Exchange(
                    step=request.step, question=question, error=_failure(error), why=str(error), usage=usage
                )
            )
            raise
        usage = _UsageLine.of(reply.usage)
        self._write(
            _Exchange(
                step=request.step, question=question, text=reply.text, truncated=reply.truncated, usage=usage
            )
        )
        return reply

    def _write(self, exchange: _Exchange) -> None:
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(exchange.model_dump_json(exclude_none=True) + "\n")


@dataclass(kw_only=True)
class ReplayModel:
    """Answers from a cassette. A question that was not recorded gets ModelUnavailable."""

    name: str
    price: Price | None = None
    exchanges: list[_Exchange] = field(default_factory=list["_Exchange"])

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the recorded answer to this question; each is played once. Raises ModelError as recorded."""
        question = digest_of(request.messages)
        found = next((item for item in self.exchanges if item.question == question), None)
        if found is None:
            msg = "the cassette holds no answer to this question: record it again with `--record-model`"
            raise ModelUnavailable(msg)
        self.exchanges.remove(found)
        usage = found.usage.usage()
        if found.error is not None:
            raise _ERRORS[found.error](found.why or "recorded failure", usage)
        return ModelReply(text=found.text or "", usage=usage, truncated=found.truncated)


def open_cassette(path: Path) -> ReplayModel:
    """Return a model that plays back the cassette at `path`. Raises CassetteError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"the cassette `{path}` cannot be read: make one with `--record-model`"
        raise CassetteError(msg) from error
    try:
        header = _Header.model_validate_json(lines[0] if lines else "")
        price = None if header.price is None else Price(**header.price.model_dump())
        return ReplayModel(
            name=header.model,
            price=price,
            exchanges=[_Exchange.model_validate_json(line) for line in lines[1:]],
        )
    except ValidationError as error:
        msg = f"`{path}` is not a cassette ({FORMAT}): make one with `--record-model`"
        raise CassetteError(msg) from error


def _failure(error: ModelError) -> Failure:
    for name, kind in _ERRORS.items():
        if isinstance(error, kind):
            return name
    return "unavailable"
