"""The only door to `openai`: one question in, one answer or one ModelError out, within the time and attempts given.

Nothing is logged here; the key is handed to the client library and to nothing else. Redirects are not followed.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, cast

import openai

from firstfault.agent.model.answers import reply_of
from firstfault.agent.model.dialect import Dialect, Structured
from firstfault.agent.model.port import (
    ModelError,
    ModelRefused,
    ModelReply,
    ModelRequest,
    ModelUnavailable,
    ModelUnreadable,
    Price,
)
from firstfault.agent.model.retries import RETRIED, Circuit, delay_before_retry, retry_after_s
from firstfault.agent.model.settings import ModelSettings
from firstfault.agent.model.transport import UNPACKED, cap, sendable, trim

_BAD_REQUEST = frozenset({400, 422})


@dataclass(kw_only=True)
class OpenAIModel:
    """A model behind an OpenAI-compatible server.

    redact: applied to every text before it leaves, whatever was done before. clock: monotonic seconds.
    wait, chance: the pause between attempts and its jitter. dialect, circuit: what was learnt of the server.
    """

    settings: ModelSettings
    redact: Callable[[str], str]
    clock: Callable[[], float]
    chance: Callable[[], float]
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep
    dialect: Dialect = field(default_factory=Dialect)
    circuit: Circuit = field(default_factory=Circuit)

    def __post_init__(self) -> None:
        """Start with the form that the settings name."""
        if self.settings.structured != "auto":
            self.dialect = replace(self.dialect, structured=Structured(self.settings.structured))

    @property
    def name(self) -> str:
        """Return the configured model name."""
        return self.settings.name or ""

    @property
    def price(self) -> Price | None:
        """Return the configured price, if any."""
        return self.settings.price

    def complete(self, request: ModelRequest) -> ModelReply:
        """Return the answer; at most `max_attempts` HTTP requests and `timeout_s` seconds are used.

        Must not be called from a running event loop. Raises ModelError.
        """
        started = self.clock()
        if self.circuit.refuses(started):
            msg = f"`{self.name}` failed {self.circuit.failures} times in a row and is left alone for {self.circuit.rest_s:.0f} s"
            raise ModelUnavailable(msg)
        attempts = _Attempts(limit=request.max_attempts, deadline=started + request.timeout_s)
        try:
            reply = asyncio.run(self._within(request, attempts))
        except ModelError as error:
            self._learn(error)
            error.usage = replace(error.usage, attempts=attempts.made, seconds=self.clock() - started)
            raise
        self.circuit = self.circuit.after_success()
        return replace(
            reply, usage=replace(reply.usage, attempts=attempts.made, seconds=self.clock() - started)
        )

    def _learn(self, error: ModelError) -> None:
        failed = isinstance(error, ModelUnavailable)
        self.circuit = self.circuit.after_failure(self.clock()) if failed else self.circuit.after_success()

    async def _within(self, request: ModelRequest, attempts: "_Attempts") -> ModelReply:
        try:
            async with asyncio.timeout(request.timeout_s):
                async with self._client(request.timeout_s) as client:
                    return await self._retried(client, request, attempts)
        except TimeoutError as error:
            msg = f"`{self.name}` did not answer within {request.timeout_s:.0f} s"
            raise ModelUnavailable(msg) from error

    def _client(self, timeout_s: float) -> openai.AsyncOpenAI:
        settings, key = self.settings, self._key()
        http = openai.DefaultAsyncHttpxClient(
            event_hooks={"request": [trim], "response": [cap]}, follow_redirects=False, timeout=timeout_s
        )
        if settings.api_version is not None:
            return openai.AsyncAzureOpenAI(
                azure_endpoint=settings.base_url,
                api_version=settings.api_version,
                api_key=key,
                max_retries=0,
                default_headers=UNPACKED,
                http_client=http,
            )
        return openai.AsyncOpenAI(
            base_url=settings.base_url, api_key=key, max_retries=0, default_headers=UNPACKED, http_client=http
        )

    def _key(self) -> str:
        try:
            key = self.settings.key()
        except (OSError, UnicodeDecodeError) as error:
            file = self.settings.api_key_file
            msg = f"the key file `{file}` cannot be read: set `model.api_key_file` to a readable file"
            raise ModelRefused(msg) from error
        if not key or not key.isascii() or not key.isprintable():
            msg = "the key is empty or holds characters that no key has: check `model.api_key`"
            raise ModelRefused(msg)
        return key

    async def _retried(
        self, client: openai.AsyncOpenAI, request: ModelRequest, attempts: "_Attempts"
    ) -> ModelReply:
        failures = 0
        while True:
            attempts.made += 1
            try:
                return await self._once(client, request)
            except openai.APIStatusError as error:
                if self._simplified(error) and attempts.left:
                    continue
                failures += 1
                await self._pause(error, failures, attempts)
            except openai.APIConnectionError as error:
                failures += 1
                await self._pause(error, failures, attempts)
            except openai.OpenAIError as error:
                msg = f"`{self.name}`: the answer could not be read"
                raise ModelUnreadable(msg) from error

    async def _once(self, client: openai.AsyncOpenAI, request: ModelRequest) -> ModelReply:
        parameters = self.dialect.parameters(
            request.output, request.max_completion_tokens, self.settings.seed
        )
        messages = [
            {"role": message.speaker.value, "content": sendable(self.redact(message.text))}
            for message in request.messages
        ]
        messages[-1]["content"] += self.dialect.form_in_words(request.output)
        create = cast("Any", client.chat.completions.with_raw_response.create)
        raw = await create(model=sendable(self.name), messages=messages, **parameters)
        return reply_of(raw.http_response.content)

    def _simplified(self, error: openai.APIStatusError) -> bool:
        if error.status_code not in _BAD_REQUEST:
            return False
        simpler = self.dialect.simpler_after(f"{error.message} {error.param or ''}")
        self.dialect = simpler or self.dialect
        return simpler is not None

    async def _pause(self, error: openai.APIError, failures: int, attempts: "_Attempts") -> None:
        final = self._final(error)
        if final is not None:
            raise final from error
        reason = _reason(self.name, error)
        if failures > self.settings.retries or not attempts.left:
            raise ModelUnavailable(reason) from error
        delay = delay_before_retry(failures, _retry_after(error), self.chance())
        if self.clock() + delay >= attempts.deadline:
            raise ModelUnavailable(reason) from error
        await self.wait(delay)

    def _final(self, error: openai.APIError) -> ModelError | None:
        if not isinstance(error, openai.APIStatusError) or error.status_code in RETRIED:
            return None
        return ModelRefused(_reason(self.name, error))


@dataclass(kw_only=True)
class _Attempts:
    """HTTP requests allowed and made; deadline: seconds on the client's clock."""

    limit: int
    deadline: float
    made: int = 0

    @property
    def left(self) -> int:
        return self.limit - self.made


def _retry_after(error: openai.APIError) -> float | None:
    if not isinstance(error, openai.APIStatusError):
        return None
    headers = error.response.headers
    return retry_after_s(headers.get("retry-after"), headers.get("date"))


def _reason(name: str, error: openai.APIError) -> str:
    """Return a one-line reason without the server's own words: they are a stranger's text."""
    if isinstance(error, openai.APITimeoutError):
        return f"`{name}` did not answer in time"
    if not isinstance(error, openai.APIStatusError):
        return f"`{name}` could not be reached: check `model.base_url`"
    remedies = {
        401: "check `model.api_key`",
        403: "check `model.api_key`",
        404: "check `model.name` and `model.base_url`",
    }
    remedy = remedies.get(error.status_code, "see the server's log")
    return f"`{name}` answered with status {error.status_code}: {remedy}"
