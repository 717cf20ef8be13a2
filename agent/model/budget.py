"""How much an incident may ask of a model, what it has used, and when it must stop. Pure.

The budget belongs to the incident: it is handed on from one deliberation to the next, never filled up again.
"""

import hashlib
import json
import math
from dataclasses import dataclass, field, replace
from enum import StrEnum

from firstfault.agent.model.port import Message, ModelRequest, Price, Usage

BYTES_PER_TOKEN = 2.0
"""Bytes per token, low on purpose: kernel lines full of digits take 2.0 with the o200k vocabulary, prose 4.5."""


class Stop(StrEnum):
    """Why a deliberation ended. Only DONE and NEW_DOCUMENTS are not worth a gap."""

    DONE = "done"
    NEW_DOCUMENTS = "new_documents"
    CALLS = "calls"
    TOKENS = "tokens"
    SECONDS = "seconds"
    COST = "cost"
    REPEATED = "repeated"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    UNREADABLE = "unreadable"

    @property
    def sentence(self) -> str:
        """Return what a report says about it."""
        return _SENTENCES[self]


_SENTENCES = {
    Stop.DONE: "the model had no further question",
    Stop.NEW_DOCUMENTS: "the model asked for data that had not been read",
    Stop.CALLS: "the model's budget of calls is spent",
    Stop.TOKENS: "the model's budget of tokens is spent",
    Stop.SECONDS: "the model's budget of time is spent",
    Stop.COST: "the model's budget of money is spent",
    Stop.REPEATED: "the model asked the same again",
    Stop.UNAVAILABLE: "the model could not be reached",
    Stop.REFUSED: "the model refused",
    Stop.UNREADABLE: "the model's answer could not be read",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """Limits per incident. calls: HTTP requests, retries included. cost_usd: None = no limit."""

    calls: int = 8
    prompt_tokens: int = 40_000
    completion_tokens: int = 8_000
    seconds: float = 90.0
    cost_usd: float | None = 1.0
    completion_tokens_per_call: int = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What an incident has used. cost_usd: None when a price is not known. asked, read: digests and keys seen."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost_usd: float | None = 0.0
    asked: tuple[str, ...] = ()
    read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits and what is spent of them."""

    limits: BudgetLimits = field(default_factory=BudgetLimits)
    spent: Spent = field(default_factory=Spent)

    def stop_before(self, request: ModelRequest, price: Price | None) -> Stop | None:
        """Return why `request` may not be sent, or None when it may."""
        spent, limits, tokens = self.spent, self.limits, estimated_tokens(request)
        if digest_of(request.messages) in spent.asked:
            return Stop.REPEATED
        if spent.calls >= limits.calls:
            return Stop.CALLS
        if spent.seconds >= limits.seconds:
            return Stop.SECONDS
        if spent.prompt_tokens + tokens > limits.prompt_tokens:
            return Stop.TOKENS
        if spent.completion_tokens >= limits.completion_tokens:
            return Stop.TOKENS
        expected = None if price is None else price.of(tokens, self.completion_tokens_left)
        return Stop.COST if _over(limits.cost_usd, spent.cost_usd, expected) else None

    @property
    def calls_left(self) -> int:
        """Return the HTTP requests left."""
        return max(0, self.limits.calls - self.spent.calls)

    @property
    def seconds_left(self) -> float:
        """Return the seconds left."""
        return max(0.0, self.limits.seconds - self.spent.seconds)

    @property
    def completion_tokens_left(self) -> int:
        """Return how long the next answer may be, in tokens."""
        return max(
            1,
            min(
                self.limits.completion_tokens_per_call,
                self.limits.completion_tokens - self.spent.completion_tokens,
            ),
        )

    def charged(self, request: ModelRequest, answer: str, usage: Usage, price: Price | None) -> "Budget":
        """Return the budget after an exchange; what the server did not count is estimated."""
        spent = self.spent
        sent = usage.prompt_tokens or (estimated_tokens(request) if usage.attempts else 0)
        got = usage.completion_tokens or _tokens(answer)
        cost = None if price is None else price.of(sent, got, usage.cached_tokens or 0)
        return replace(
            self,
            spent=replace(
                spent,
                calls=spent.calls + usage.attempts,
                prompt_tokens=spent.prompt_tokens + sent,
                completion_tokens=spent.completion_tokens + got,
                seconds=spent.seconds + usage.seconds,
                cost_usd=None if cost is None or spent.cost_usd is None else spent.cost_usd + cost,
                asked=(*spent.asked, digest_of(request.messages)),
            ),
        )

    def having_read(self, key: str) -> "Budget":
        """Return the budget that remembers a read, so that it is not made twice."""
        return replace(self, spent=replace(self.spent, read=(*self.spent.read, key)))


def estimated_tokens(request: ModelRequest) -> int:
    """Return an upper estimate of the prompt tokens of `request`; the schema of the answer counts as well."""
    form = json.dumps(request.output.schema, separators=(",", ":"))
    return _tokens(form) + sum(_tokens(message.text) + 4 for message in request.messages)


def digest_of(messages: tuple[Message, ...]) -> str:
    """Return the hex digest that identifies a question."""
    material = "\x00".join(f"{message.speaker}\x00{message.text}" for message in messages)
    return hashlib.sha256(material.encode("utf-8", "backslashreplace")).hexdigest()


def _tokens(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN)


def _over(limit: float | None, spent: float | None, more: float | None) -> bool:
    return limit is not None and spent is not None and more is not None and spent + more > limit
