"""Settings come from one file and the environment; what is misspelled is refused with the name that was meant."""

from pathlib import Path

import pytest

from firstfault.agent.settings import (
    BadSettingError,
    Settings,
    UnknownSettingError,
    UnreadableSettingsError,
    load_settings,
    settings_file,
)
from firstfault.agent.settings.names import env_name, is_known, known_names

# Every name that DESIGN promises to users.
PROMISED = [
    "FIRSTFAULT_DATABASE_URL",
    "FIRSTFAULT_MODEL__BASE_URL",
    "FIRSTFAULT_MODEL__NAME",
    "FIRSTFAULT_MODEL__API_KEY",
    "FIRSTFAULT_SERVE__HOST",
    "FIRSTFAULT_SERVE__PORT",
    "FIRSTFAULT_SERVE__PUBLIC_URL",
    "FIRSTFAULT_SERVE__WEBHOOK_TOKEN",
    "FIRSTFAULT_LINKS__GRAFANA",
    "FIRSTFAULT_LINKS__LOKI",
    "FIRSTFAULT_LINKS__KUBECTL",
    "FIRSTFAULT_KUBERNETES__KUBECONFIG",
    "FIRSTFAULT_PROMETHEUS__URL",
    "FIRSTFAULT_LOKI__URL",
    "FIRSTFAULT_SLACK__BOT_TOKEN",
    "FIRSTFAULT_SLACK__APP_TOKEN",
    "FIRSTFAULT_SLACK__BASE_URL",
    "FIRSTFAULT_KILL_SWITCH",
]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROMISED:
        monkeypatch.delenv(name, raising=False)


def written(folder: Path, text: str) -> Path:
    """Return a settings file with this text."""
    file = folder / "firstfault.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_without_any_setting_everything_stays_on_this_machine() -> None:
    settings = load_settings()
    assert settings.address is None
    assert settings.model.name is None
    assert (settings.serve.host, settings.serve.is_loopback) == ("127.0.0.1", True)
    assert settings.kill_switch is False


@pytest.mark.parametrize("variable", PROMISED)
def test_promised_names_are_known(variable: str) -> None:
    assert variable in {env_name(name) for name in known_names()}


def test_the_environment_beats_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, '[model]\nname = "small"\nbase_url = "http://one"\n[serve]\nport = 9000\n')
    monkeypatch.setenv("FIRSTFAULT_MODEL__NAME", "large")
    settings = load_settings(file)
    assert (settings.model.name, settings.model.base_url, settings.serve.port) == (
        "large",
        "http://one",
        9000,
    )


def test_an_empty_variable_sets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTFAULT_MODEL__NAME", "")
    assert load_settings(written(tmp_path, '[model]\nname = "small"\n')).model.name == "small"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[modle]\nname = "x"\n', "unknown setting `modle.name` in `.*`: did you mean `model.name`"),
        ('[model]\nnmae = "x"\n', "`model.nmae` .* did you mean `model.name`"),
        ('databse_url = "x"\n', "`databse_url` .* did you mean `database_url`"),
        ('[server]\nwebhook_token = "x"\n', "did you mean `serve.webhook_token`"),
        ("[model.budget]\ncals = 1\n", "did you mean `model.budget.calls`"),
        ("zzzzqqq = 1\n", "see `firstfault config show`"),
        ("[serve]\na=1\nb=2\nc=3\nd=4\n", "and 1 more"),
        ("[serve.host]\nname = 1\n", r"`serve.host.name`"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UnknownSettingError, match=message) as caught:
        load_settings(written(tmp_path, text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("FIRSTFAULT_MODLE__NAME", "FIRSTFAULT_MODEL__NAME"),
        ("FIRSTFAULT_MODEL_NAME", "FIRSTFAULT_MODEL__NAME"),
        ("FIRSTFAULT_SERVE__PROT", "FIRSTFAULT_SERVE__PORT"),
        ("FIRSTFAULT_DATABASEURL", "FIRSTFAULT_DATABASE_URL"),
        ("firstfault_slack__bottoken", "FIRSTFAULT_SLACK__BOT_TOKEN"),
    ],
)
def test_an_unknown_variable_is_refused_alike(
    monkeypatch: pytest.MonkeyPatch, variable: str, meant: str
) -> None:
    monkeypatch.setenv(variable, "x")
    with pytest.raises(UnknownSettingError, match=f"did you mean `{meant}`"):
        load_settings()


@pytest.mark.parametrize(
    "variable",
    [
        "FIRSTFAULT_PORT",
        "FIRSTFAULT_PORT_8321_TCP",
        "FIRSTFAULT_PORT_8321_TCP_ADDR",
        "FIRSTFAULT_SERVICE_HOST",
        "FIRSTFAULT_SERVICE_PORT",
        "FIRSTFAULT_SERVICE_PORT_HTTP",
        "FIRSTFAULT_WEB_SERVICE_HOST",
        "FIRSTFAULT_WEB_PORT_8321_TCP_PROTO",
    ],
)
def test_what_kubernetes_sets_for_a_service_of_our_name_is_no_setting(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "tcp://10.0.0.1:8321")
    assert load_settings() == Settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[serve]\nport = "many"\n',
            r"`serve\.port` \(`FIRSTFAULT_SERVE__PORT`\) cannot be used: input should",
        ),
        ("[serve]\nport = 70000\n", "less than or equal to 65535"),
        ('[prometheus]\nurl = "prometheus:9090"\n', "begins with `http://`"),
        ('[links]\nloki = "http://x/{qurey}"\n', "`{qurey}` is not a field of links"),
        ('[redaction.patterns]\nours = "("\n', "not a regular expression"),
        ("[retention]\nevidence_days = 0\n", "greater than or equal to 1"),
    ],
)
def test_a_bad_value_is_named_with_its_reason(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadSettingError, match=message) as caught:
        load_settings(written(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_no_message_holds_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTFAULT_MODEL__API_KEY", "hunter2")
    monkeypatch.setenv("FIRSTFAULT_MODEL__API_KEY_FILE", "/nowhere")
    with pytest.raises(BadSettingError) as caught:
        load_settings()
    assert "hunter2" not in str(caught.value)
    file = written(tmp_path, 'database_url = ["hunter2"]\n')
    with pytest.raises(BadSettingError) as caught:
        load_settings(file)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("text", ["[model", "\x00", "a = \n", "a = 1\na = 2\n"])
def test_a_file_that_is_not_toml_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnreadableSettingsError, match=r"firstfault\.toml` are not TOML"):
        load_settings(written(tmp_path, text))


def test_bytes_that_are_not_text_are_named(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableSettingsError, match="are not TOML"):
        load_settings(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSettingsError, match="cannot read the settings"):
        load_settings(tmp_path / "nowhere.toml")


def test_the_file_in_the_folder_is_used_unless_another_is_given(tmp_path: Path) -> None:
    assert settings_file(None, tmp_path) is None
    file = written(tmp_path, "")
    assert settings_file(None, tmp_path) == file
    assert settings_file(Path("other.toml"), tmp_path) == Path("other.toml")


def test_tables_that_take_any_name_take_it() -> None:
    assert is_known("limits.anything")
    assert is_known("model.prices.gpt-5.prompt")
    assert not is_known("limit.anything")
    assert not is_known("model.price")


@pytest.mark.parametrize(
    ("value", "expected"), [("1", True), ("on", True), ("please stop", True), ("off", False)]
)
def test_any_word_but_off_throws_the_kill_switch(
    monkeypatch: pytest.MonkeyPatch, value: str, *, expected: bool
) -> None:
    monkeypatch.setenv("FIRSTFAULT_KILL_SWITCH", value)
    assert load_settings().kill_switch is expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("10.1.2.3", False), ("box", False)],
)
def test_loopback_is_recognised(monkeypatch: pytest.MonkeyPatch, host: str, *, expected: bool) -> None:
    monkeypatch.setenv("FIRSTFAULT_SERVE__HOST", host)
    assert load_settings().serve.is_loopback is expected
