"""Every message and modal: as it was looked at, within Slack's limits, twelve lines, and nothing of it obeys telemetry."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest

from firstfault.agent.slack.blocks.card import MAX_LINES, lines_of
from tests.agent.slack.goldens import FOLDER, main
from tests.slackworld.limits import faults_in_blocks, faults_in_view

FILES = sorted(FOLDER.glob("*.json"))
MODALS = [file for file in FILES if file.stem.startswith("modal-")]
MESSAGES = [file for file in FILES if file not in MODALS]
CARDS = [file for file in FILES if file.stem.startswith(("card-", "approval-"))]
_OURS = re.compile(r"<!date\^\d+\^[^<>|]*\|[^<>|]*>|<https?://[^<>|]*\|[^<>]*>|<@U0(?:ADA|GRACE)>")
"""What we write of Slack's markup: times, links, and people who have an account."""


def content(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        block = cast("Mapping[str, object]", value)
        if block.get("type") == "mrkdwn":
            assert block["verbatim"] is True
            yield str(block["text"])
        for each in block.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from texts(each)


def test_what_leaves_is_what_was_looked_at() -> None:
    assert main(["--check"]) == 0


@pytest.mark.parametrize("name", [file.stem for file in MESSAGES])
def test_slack_takes_every_message(name: str) -> None:
    found = content(name)
    assert faults_in_blocks(found["blocks"], "message") == []
    assert 0 < len(found["text"]) < 4000


@pytest.mark.parametrize("name", [file.stem for file in MODALS])
def test_slack_takes_every_modal(name: str) -> None:
    assert faults_in_view(content(name)) == []


@pytest.mark.parametrize("name", [file.stem for file in CARDS])
def test_a_card_has_at_most_twelve_lines(name: str) -> None:
    assert lines_of(content(name)) <= MAX_LINES


@pytest.mark.parametrize("name", [file.stem for file in FILES])
def test_nothing_becomes_a_mention_or_a_link_of_its_own(name: str) -> None:
    for text in texts(content(name)):
        assert "<" not in _OURS.sub("", text), text
        assert ">" not in _OURS.sub("", text), text


def test_only_a_pending_approval_has_buttons() -> None:
    offering = {file.stem for file in CARDS if "firstfault.approve" in file.read_text(encoding="utf-8")}
    assert offering == {"approval-pending", "approval-one-of-two"}


def test_cells_in_shadow_are_not_told_in_an_incident_channel() -> None:
    assert "node_reboot" not in json.dumps(content("approval-pending"))


def test_without_a_plan_there_is_nothing_to_say_yes_to() -> None:
    assert "submit" not in content("modal-approve-no-plan")
    assert "submit" not in content("modal-approve-reading")
    shown = json.dumps(content("modal-approve"))
    assert "PATCH /api/v1/nodes/gpu-n7" in shown
    assert "unschedulable" in shown
