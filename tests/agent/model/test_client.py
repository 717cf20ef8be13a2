import json
import logging
import time
from pathlib import Path

import pytest
from pydantic import SecretStr

from firstfault.agent.model.client import OpenAIModel
from firstfault.agent.model.dialect import Structured
from firstfault.agent.model.port import ModelError, ModelRefused, ModelUnavailable, ModelUnreadable
from firstfault.agent.model.settings import ModelSettings
from firstfault.agent.model.transport import SENT_HEADERS
from firstfault.evals.sim.model_server import ModelServer
from tests.agent.model.requests import request
from tests.rehearsals import client

KEY = "test-key-of-the-model-that-nobody-may-see"


def test_an_answer_comes_back_with_its_usage() -> None:
    with ModelServer("good") as server:
        reply = client(server).complete(request())
    assert json.loads(reply.text)["reads"] == []
    assert reply.usage.attempts == 1
    assert reply.usage.prompt_tokens is not None
    assert reply.usage.seconds > 0


def test_the_fixed_part_comes_first_and_the_answer_is_bound_to_the_schema() -> None:
    with ModelServer("good") as server:
        client(server).complete(request("the view"))
        body = json.loads(server.dialogue.bodies[0])
    assert [message["content"] for message in body["messages"]] == ["fixed", "the view"]
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["temperature"] == 0
    assert body["seed"] is not None
    assert "tools" not in body


FAILURES = [
    ("rate_limited", ModelUnavailable, 3),
    ("server_error", ModelUnavailable, 3),
    ("cut", ModelUnavailable, 3),
    ("unauthorised", ModelRefused, 1),
    ("redirects", ModelRefused, 1),
    ("refuses", ModelRefused, 1),
    ("filtered", ModelRefused, 1),
    ("empty", ModelUnreadable, 1),
    ("blank", ModelUnreadable, 1),
    ("enormous", ModelUnreadable, 1),
    ("compressed", ModelUnreadable, 1),
    ("not_json", ModelUnreadable, 1),
    ("tool_calls", ModelUnreadable, 1),
    ("no_choices", ModelUnreadable, 1),
]


@pytest.mark.parametrize(("mode", "kind", "attempts"), FAILURES, ids=[mode for mode, *_ in FAILURES])
def test_each_failure_is_one_kind_of_error_and_tells_what_it_cost(
    mode: str, kind: type[ModelError], attempts: int
) -> None:
    with ModelServer(mode) as server, pytest.raises(kind) as caught:
        client(server).complete(request())
    assert caught.value.usage.attempts == attempts == len(server.dialogue.bodies)
    assert "\n" not in str(caught.value)


def test_retries_stop_at_the_attempts_that_are_left() -> None:
    with ModelServer("rate_limited") as server, pytest.raises(ModelUnavailable):
        client(server).complete(request(attempts=2))
    assert len(server.dialogue.bodies) == 2


def test_a_wait_longer_than_the_time_left_is_not_begun() -> None:
    with ModelServer("rate_limited") as server, pytest.raises(ModelUnavailable):
        client(server).complete(request(timeout_s=0.9))
    assert len(server.dialogue.bodies) == 1


def test_the_server_decides_how_long_to_wait() -> None:
    waits: list[float] = []

    async def noted(seconds: float) -> None:
        waits.append(seconds)

    with ModelServer("rate_limited") as server:
        model = client(server)
        model.wait = noted
        with pytest.raises(ModelUnavailable):
            model.complete(request())
    assert waits == [1.0, 1.0]


@pytest.mark.parametrize("mode", ["slow_drip", "slow_headers"])
def test_no_server_holds_a_run_beyond_its_time(mode: str) -> None:
    started = time.monotonic()
    with ModelServer(mode) as server, pytest.raises(ModelUnavailable, match="did not answer within"):
        client(server).complete(request(timeout_s=0.3))
    assert time.monotonic() - started < 5


def test_after_three_failures_in_a_row_the_server_is_left_alone_for_a_while() -> None:
    now = [0.0]
    with ModelServer("unauthorised") as server:
        model = client(server, base_url="http://127.0.0.1:9/v1", retries=0)
        model.clock = lambda: now[0]
        for _ in range(3):
            with pytest.raises(ModelUnavailable, match="could not be reached"):
                model.complete(request())
        with pytest.raises(ModelUnavailable, match="left alone") as caught:
            model.complete(request())
        assert caught.value.usage.attempts == 0
        now[0] = 61.0
        with pytest.raises(ModelUnavailable, match="could not be reached"):
            model.complete(request())
    assert not server.dialogue.bodies


def test_older_servers_are_asked_in_the_form_they_take() -> None:
    refused = ("seed", "temperature", "max_completion_tokens", "json_schema", "json_object")
    with ModelServer("good", refuses_parameters=refused) as server:
        model = client(server)
        reply = model.complete(request())
        first = reply.usage.attempts
        again = model.complete(request()).usage.attempts
        body = json.loads(server.dialogue.bodies[-1])
    assert first == 6
    assert again == 1
    assert model.dialect.structured is Structured.TEXT
    assert "JSON Schema" in body["messages"][-1]["content"]
    assert body["max_tokens"] == 100


def test_azure_is_reached_by_deployment_and_version() -> None:
    with ModelServer("good") as server:
        azure = server.base_url.removesuffix("/v1")
        client(server, base_url=azure, api_version="2024-10-21").complete(request())
    assert server.dialogue.paths == ["/openai/deployments/scripted/chat/completions?api-version=2024-10-21"]


def test_the_key_is_in_one_header_and_nowhere_else(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_LOG", "debug")
    caplog.set_level(logging.DEBUG)
    with ModelServer("unauthorised") as server:
        model = client(server, api_key=SecretStr(KEY))
        with pytest.raises(ModelRefused) as caught:
            model.complete(request())
    assert server.dialogue.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in caplog.text
    assert KEY not in str(caught.value)
    assert KEY not in repr(model)


@pytest.mark.parametrize("version", [None, "2024-10-21"])
def test_what_the_environment_holds_for_another_server_is_not_sent(
    version: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ORG_ID", "PROJECT_ID", "ADMIN_KEY", "API_KEY", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "of-another-server")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: of-another-server")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "of-another-server")
    with ModelServer("good") as server:
        client(server, api_version=version).complete(request())
    headers = server.dialogue.headers[0]
    assert "of-another-server" not in str(headers)
    assert set(headers) <= SENT_HEADERS


def test_the_key_can_be_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(f"{KEY}\n")
    with ModelServer("good") as server:
        client(server, api_key_file=path).complete(request())
        with pytest.raises(ModelRefused, match="key file"):
            client(server, api_key_file=tmp_path / "none").complete(request())
    assert server.dialogue.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["ключ", "two\nlines", "", " "])
def test_a_key_that_cannot_be_one_is_refused_before_anything_is_sent(key: str) -> None:
    with ModelServer("good") as server, pytest.raises(ModelRefused, match="api_key"):
        client(server, api_key=SecretStr(key.strip(" "))).complete(request())
    assert not server.dialogue.bodies


@pytest.mark.parametrize("address", ["notaurl", "ftp://x/v1", "http://[bad/v1", "", "http://x:99999/v1"])
def test_an_address_that_is_none_is_a_model_that_cannot_be_reached(address: str) -> None:
    with ModelServer("good") as server, pytest.raises(ModelUnavailable, match="base_url"):
        client(server, base_url=address, retries=0).complete(request())


def test_halves_of_characters_do_not_stop_a_request() -> None:
    with ModelServer("good") as server:
        client(server).complete(request("lone \ud800 half"))
    assert len(server.dialogue.bodies) == 1


def test_what_the_caller_forgot_to_redact_is_redacted_at_the_door() -> None:
    with ModelServer("good") as server:
        client(server).complete(
            request("export OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD")
        )
    assert b"abcdefghijklmnopqrstuvwxyz" not in server.dialogue.bodies[0]


def test_price_and_name_come_from_the_settings() -> None:
    settings = ModelSettings.model_validate(
        {"name": "m", "prices": {"m": {"prompt": 2, "completion": 8, "cached": 1}}}
    )
    model = OpenAIModel(settings=settings, redact=str, clock=time.monotonic, chance=lambda: 0.0)
    assert model.name == "m"
    assert model.price is not None
    assert model.price.of(1_000_000, 500_000, 400_000) == pytest.approx(0.6 * 2 + 0.4 + 4)
