"""Exchanges with a model kept in a file and played back: the same run again, without a network.

A cassette is JSON lines: a header, then one line per exchange in order. Playing back matches the digest of the question.

    CassetteError      the file cannot be used; the message names the remedy
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from firstfault.agent.model.budget import digest_of
from firstfault.agent.model.exchanges import Exchange, exchanged
from firstfault.agent.model.port import ModelPort, ModelReply, ModelRequest, ModelUnavailable, Price

FORMAT = "firstfault.cassette/v1"


class CassetteError(Exception):
    """The cassette cannot be used."""


class _Price(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: float
    completion: float
    cached: float | None = None


class _Header(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["firstfault.cassette/v1"] = FORMAT
    model: str
    price: _Price | None = None


@dataclass(kw_only=True)
class RecordingModel:
    """Passes every question on and writes what came back to `path`, one line at a time."""

    inner: ModelPort
    path: Path

    def __post_init__(self) -> None:
        """Start the file anew. Raises CassetteError when it cannot be written."""
        price = self.inner.price
        header = _Header(model=self.inner.name, price=None if price is None else _Price(**asdict(price)))
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
        """Return the recorded model's answer, as it will be played back. Raises ModelError as it does."""
        exchange = exchanged(self.inner, request)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(exchange.model_dump_json(exclude_none=True) + "\n")
        return exchange.played()


@dataclass(kw_only=True)
class ReplayModel:
    """Answers from a cassette. A question that was not recorded gets ModelUnavailable."""

    name: str
    price: Price | None = None
    exchanges: list[Exchange] = field(default_factory=list[Exchange])

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the recorded answer to this question; each is played once. Raises ModelError as recorded."""
        question = digest_of(request.messages)
        found = next((item for item in self.exchanges if item.question == question), None)
        if found is None:
            msg = "the cassette holds no answer to this question: record it again with `--record-model`"
            raise ModelUnavailable(msg)
        self.exchanges.remove(found)
        return found.played()


def open_cassette(path: Path) -> ReplayModel:
    """Return a model that plays back the cassette at `path`. Raises CassetteError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"the cassette `{path}` cannot be read: make one with `--record-model`"
        raise CassetteError(msg) from error
    try:
        header = _Header.model_validate_json(lines[0] if lines else "")
        exchanges = [Exchange.model_validate_json(line) for line in lines[1:]]
    except ValidationError as error:
        msg = f"`{path}` is not a cassette ({FORMAT}): make one with `--record-model`"
        raise CassetteError(msg) from error
    price = None if header.price is None else Price(**header.price.model_dump())
    return ReplayModel(name=header.model, price=price, exchanges=exchanges)
