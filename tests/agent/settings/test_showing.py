"""What is in force can be shown to anybody: secrets are masked, origins are named."""

from pathlib import Path

import pytest

from firstfault.agent.settings import Origin, load_settings, masked_url, read_tables, shown
from firstfault.agent.settings.names import known_names


def test_every_setting_is_shown_once() -> None:
    names = [each.name for each in shown(load_settings(), {})]
    assert len(names) == len(set(names))
    assert set(names) == {name.removesuffix(".*") for name in known_names()}


def test_no_secret_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "firstfault.toml"
    file.write_text(
        'database_url = "postgresql://me:hunter2@db/x"\n[model]\napi_key = "hunter2"\n'
        '[serve]\nwebhook_token = "hunter2"\n[prometheus]\nurl = "http://me:hunter2@prom"\n'
        '[prometheus.headers]\nAuthorization = "hunter2"\n[links]\ngrafana = "http://me:hunter2@g/{query}"\n'
    )
    monkeypatch.setenv("FIRSTFAULT_SLACK__BOT_TOKEN", "hunter2")
    rows = {each.name: each for each in shown(load_settings(file), read_tables(file))}
    assert "hunter2" not in repr(rows)
    assert rows["database_url"].value == "postgresql://me:********@db/x"
    assert rows["prometheus.headers"].value == {"Authorization": "********"}


def test_the_origin_of_a_value_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "firstfault.toml"
    file.write_text("[serve]\nport = 1\n[limits]\nx = 1\n")
    monkeypatch.setenv("FIRSTFAULT_SERVE__HOST", "::1")
    monkeypatch.setenv("FIRSTFAULT_MODEL__PRICES__GPT", '{"prompt": 1, "completion": 2}')
    rows = {each.name: each.origin for each in shown(load_settings(file), read_tables(file))}
    assert rows["serve.port"] is Origin.FILE
    assert rows["limits"] is Origin.FILE
    assert rows["serve.host"] is Origin.ENVIRONMENT
    assert rows["model.prices"] is Origin.ENVIRONMENT
    assert rows["serve.public_url"] is Origin.DEFAULT


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("postgresql://u:p@h/d", "postgresql://u:********@h/d"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("http://h:80/a@b", "http://h:80/a@b"),
        ("sqlite:////tmp/x", "sqlite:////tmp/x"),
    ],
)
def test_passwords_in_urls_are_masked(url: str, masked: str) -> None:
    assert masked_url(url) == masked
