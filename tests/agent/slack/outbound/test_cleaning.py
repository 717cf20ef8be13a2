"""Secrets that people paste, plans that hold some, executors that quote some: none of them is shown in Slack."""

import json
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue as Json

from firstfault.agent.executor.steps import Call, Verb
from firstfault.agent.slack.blocks import modals
from firstfault.agent.slack.blocks.card import card
from firstfault.agent.slack.blocks.names import COMMAND
from firstfault.agent.slack.outbound.cleaning import cleaned_asked, cleaned_plan
from firstfault.agent.slack.standing import Standing
from firstfault.policies.approvals import ApprovalState
from firstfault.policies.history import Ending
from firstfault.tools.redaction import redact
from tests.agent.slack import samples
from tests.agent.slack.kit import Stage, stage
from tests.tools.redaction.samples import SECRETS

TEXTS = [around.replace("@", secret, 1) for _, around, secret in SECRETS if "\n" not in secret]
HELD = sorted({secret for _, _, secret in SECRETS if "\n" not in secret and len(secret) >= 6})


def leaked(text: str) -> list[str]:
    return [secret for secret in HELD if secret in text]


@pytest.fixture(name="stage")
def stage_fixture(tmp_path: Path) -> Generator[Stage]:
    with stage(tmp_path) as made:
        yield made


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_put_into_a_message_is_redacted_before_it_is_escaped(text: str) -> None:
    asked = samples.asked(
        ApprovalState.SUPERSEDED,
        superseded_why=text,
        execution=samples.execution(Ending.FAILED, text),
    )
    shown = cleaned_asked(asked, redact)
    view = samples.view(samples.offered(), Standing(version=1, asked=(shown,)))
    told = [
        card(view),
        card(samples.view(samples.offered(), Standing(version=1, asked=(replace(shown, execution=None),)))),
    ]
    assert not leaked(json.dumps(told, ensure_ascii=False))


@pytest.mark.parametrize("text", TEXTS)
def test_a_plan_is_shown_without_what_it_carries_in_secret(text: str) -> None:
    plan = samples.plan()
    body: dict[str, Json] = {"spec": {"template": {"env": [{"name": "V", "value": text}]}}}
    step = replace(plan.steps[0], name=text, call=Call(verb=Verb.PATCH, path="/x", body=body))
    shown = cleaned_plan(replace(plan, steps=(step,)), redact)
    view = modals.approval(samples.asked(ApprovalState.PENDING), shown, None, {})
    assert not leaked(json.dumps(view, ensure_ascii=False))


def test_what_people_paste_is_not_said_back(stage: Stage) -> None:
    with stage.running():
        ada = stage.people["ada"]
        asked = [ada.mentions(stage.incidents, f"why {text}") for text in TEXTS[:6]]
        for each in asked:
            stage.reply(stage.incidents, each["ts"], says="LIKELY")
        ada.runs(COMMAND, f"silence {TEXTS[0].split()[0]} 2h {TEXTS[1]}", stage.incidents)
        stage.until(lambda: ada.shown(stage.incidents))
    sent = [call.args for call in stage.world.calls if call.method.startswith(("chat.", "views."))]
    assert len(sent) > len(asked)
    assert not leaked(json.dumps(sent, ensure_ascii=False, default=str))
