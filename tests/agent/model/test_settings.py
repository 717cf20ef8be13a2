from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from firstfault.agent.model.settings import ModelSettings


def test_without_a_name_there_is_no_model_and_no_price() -> None:
    settings = ModelSettings()
    assert settings.name is None
    assert settings.price is None


def test_a_key_is_given_once(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="not both"):
        ModelSettings(api_key=SecretStr("secret-of-the-test"), api_key_file=tmp_path / "key")


def test_errors_do_not_repeat_what_was_given() -> None:
    with pytest.raises(ValidationError) as caught:
        ModelSettings.model_validate({"api_key": ["secret-of-the-test"], "retries": 99})
    assert "secret-of-the-test" not in str(caught.value)


def test_an_address_is_shown_without_what_does_not_belong_into_it() -> None:
    settings = ModelSettings(base_url="https://user:secret@proxy.example:8443/v1?key=secret")
    assert settings.shown_address == "https://proxy.example:8443/v1"


def test_budget_settings_become_limits() -> None:
    limits = ModelSettings.model_validate({"budget": {"calls": 3, "cost_usd": None}}).budget.limits()
    assert (limits.calls, limits.cost_usd, limits.prompt_tokens) == (3, None, 40_000)
