"""Secrets go, everything else stays byte for byte."""

import re

import pytest
from detect_secrets.core import scan
from detect_secrets.settings import transient_settings

from firstfault.tools.redaction import MARK, RedactionError, redact, redactor_of, site_rules
from firstfault.tools.redaction.rules import shipped_rules
from firstfault.tools.scan import engine
from tests.tools.redaction.samples import INNOCENT, SECRETS

PLACE = re.compile(r"@")
SPOKEN_FOR = [pytest.param(*row, id=f"{number}-{row[0]}") for number, row in enumerate(SECRETS)]


def planted(around: str, secret: str) -> str:
    """Return the text with the secret at its place."""
    return PLACE.sub(lambda _: secret, around, count=1)


@pytest.mark.parametrize(("kind", "around", "secret"), SPOKEN_FOR)
def test_a_secret_is_taken_out_and_named(kind: str, around: str, secret: str) -> None:
    redacted = redact(planted(around, secret))
    expected = "\n".join(f"‹redacted:{kind}›" for _ in secret.split("\n"))
    assert redacted == planted(around, expected)


@pytest.mark.parametrize(("kind", "around", "secret"), SPOKEN_FOR)
def test_a_secret_is_taken_out_of_the_middle_of_a_log(kind: str, around: str, secret: str) -> None:
    before, after = "\n".join(INNOCENT), "\n".join(reversed(INNOCENT))
    text = f"{before}\n2026-01-02T03:04:05Z node-3 {planted(around, secret)}\n{after}"
    redacted = redact(text)
    assert f"‹redacted:{kind}›" in redacted
    assert not any(line in redacted for line in secret.split("\n"))
    assert redacted.startswith(before)
    assert redacted.endswith(after)
    assert redacted.count("\n") == text.count("\n")


def test_forty_kinds_and_more_are_covered() -> None:
    assert {kind for kind, _, _ in SECRETS} == {rule.kind for rule in shipped_rules()}
    assert len({rule.kind for rule in shipped_rules()}) >= 40


@pytest.mark.parametrize("line", INNOCENT)
def test_what_is_no_secret_stays(line: str) -> None:
    assert redact(line) == line


@pytest.mark.parametrize(
    "text",
    ["", "\n", "‹", "‹redacted:›", "‹redacted:jwt›", "password=‹redacted:password›", "İ" * 10, "\x00\ud800"],
)
def test_odd_texts_stay(text: str) -> None:
    assert redact(text) == text


def test_letters_whose_lower_case_is_longer_do_not_hide_a_secret() -> None:
    assert redact("İİİ password=hunter2\nnext") == "İİİ password=‹redacted:password›\nnext"


def test_an_independent_scanner_finds_nothing_afterwards() -> None:
    text = redact("\n".join(planted(around, secret) for _, around, secret in SECRETS))
    plugins = ["AWSKeyDetector", "AzureStorageKeyDetector", "BasicAuthDetector", "DiscordBotTokenDetector"]
    plugins += [
        "GitHubTokenDetector",
        "GitLabTokenDetector",
        "JwtTokenDetector",
        "NpmDetector",
        "OpenAIDetector",
    ]
    plugins += [
        "PypiTokenDetector",
        "SendGridDetector",
        "SlackDetector",
        "StripeDetector",
        "TelegramBotTokenDetector",
    ]
    with transient_settings({"plugins_used": [{"name": name} for name in plugins]}):
        left = [found.type for line in text.split("\n") for found in scan.scan_line(line)]
    assert left == []


def test_long_and_short_texts_are_searched_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join([*INNOCENT, *(planted(around, secret) for _, around, secret in SECRETS)])
    by_words = redactor_of().redact(text)
    monkeypatch.setattr(engine, "LARGE_TEXT", 1, raising=False)
    assert redactor_of().redact(text) == by_words


def test_a_site_adds_its_own_patterns() -> None:
    redactor = redactor_of(site_rules({"ticket": r"ACME-\d+"}))
    assert (
        redactor.redact("see ACME-42 password=hunter2")
        == "see ‹redacted:ticket› password=‹redacted:password›"
    )


@pytest.mark.parametrize("pattern", [".", "[^x]", "redacted", "‹", "›", r"\w"])
def test_a_greedy_pattern_of_a_site_comes_to_an_end(pattern: str) -> None:
    redactor = redactor_of(site_rules({"all": pattern}))
    once = redactor.redact("password=hunter2 ‹redacted:x› redacted ‹ ›\nab")
    assert redactor.redact(once) == once


@pytest.mark.parametrize(
    ("name", "pattern", "message"),
    [
        ("Bad Name", "x", "is not a name"),
        ("x", "(", "not a regular expression"),
        ("x", "a*", "matches nothing at all"),
        ("x", "(a)", "has groups"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_named(name: str, pattern: str, message: str) -> None:
    with pytest.raises(RedactionError, match=message):
        site_rules({name: pattern})


def test_marks_are_recognised() -> None:
    assert MARK.fullmatch(redact("hf_" + "Ab1" * 12))


@pytest.mark.parametrize(
    "hostile",
    [
        "eyJ" * 20_000,
        "a" * 60_000 + "@",
        "a@" * 30_000,
        "a." * 30_000 + "@x",
        "-----BEGIN RSA PRIVATE KEY-----" * 2_000,
        "-----BEGIN RSA PRIVATE KEY-----\n" + "A" * 60_000,
        "password=" * 7_000,
        "password:" + " " * 60_000,
        "curl " * 12_000,
        "ipmitool " * 7_000,
        "://" * 20_000,
        "://a:" * 12_000,
        "name: A_TOKEN " * 4_000,
        "authorization:" + "a" * 60_000,
        "cookie:" + "a" * 60_000,
        '"' * 60_000 + "password",
        "token=" + "a" * 60_000,
        "x" * 60_000 + "_TOKEN",
        "data:\n" * 12_000 + "kind: Secret",
        "data:\n  a: b\n" * 5_000 + "kind: Secret",
        "kind: Secret\n" * 5_000,
        "kind: Secret\n" + "  a: b\n" * 9_000,
        '"data":{' * 9_000 + '"kind":"Secret"',
        '"data":{' + "a" * 60_000 + '"kind":"Secret"',
    ],
    ids=range(24),
)
@pytest.mark.timeout(10)
def test_hostile_texts_cost_little(hostile: str) -> None:
    redacted = redact(hostile)
    assert redact(redacted) == redacted


CONFIG = "kind: ConfigMap\ndata:\n  color: red\n"
NAMED_ONLY = "kind: Secret\nmetadata:\n  name: x\n"


def test_a_config_map_that_ends_before_a_secret_stays() -> None:
    text = f"{NAMED_ONLY}---\n{CONFIG}---\n{NAMED_ONLY}"
    assert redact(text) == text


def test_data_that_may_be_the_secrets_below_it_is_hidden_whatever_stands_above() -> None:
    """Sorted keys, from which `apiVersion` and `metadata` were taken out: whose `data` it is cannot be told."""
    hidden = CONFIG.replace("  color: red", "‹redacted:secret-object›")
    assert redact(CONFIG + NAMED_ONLY) == hidden + NAMED_ONLY
