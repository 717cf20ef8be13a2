"""Every kind of block that Slack takes in a message or a modal is drawn, and words are not lost."""

import pytest

from firstfault.evals.preview.pages import Screen, page

PLAIN = "plain_text"
BUTTON = {
    "type": "button",
    "action_id": "a",
    "text": {"type": PLAIN, "text": "Approve drain"},
    "style": "primary",
}
OPTIONS = [{"text": {"type": PLAIN, "text": "gpu.ecc"}, "value": "gpu.ecc"}]
TEXT = {"type": "mrkdwn", "text": "*GPU* fell <off> the bus"}
BLOCKS = [
    {"type": "header", "text": {"type": PLAIN, "text": "Header words"}},
    {
        "type": "section",
        "text": TEXT,
        "fields": [{"type": "mrkdwn", "text": "field words"}],
        "accessory": BUTTON,
    },
    {"type": "divider"},
    {"type": "context", "elements": [{"type": "mrkdwn", "text": "small print"}]},
    {"type": "actions", "elements": [BUTTON, {"type": "overflow", "options": OPTIONS}]},
    {"type": "image", "image_url": "https://example.com/a.png", "alt_text": "a timeline"},
    {"type": "markdown", "text": "markdown words"},
]
FIELDS = [
    {
        "type": "input",
        "label": {"type": PLAIN, "text": "Class"},
        "optional": True,
        "hint": {"type": PLAIN, "text": "closed list"},
        "element": {
            "type": "static_select",
            "action_id": "c",
            "options": OPTIONS,
            "initial_option": OPTIONS[0],
        },
    },
    {
        "type": "input",
        "label": {"type": PLAIN, "text": "Why"},
        "element": {
            "type": "plain_text_input",
            "action_id": "w",
            "multiline": True,
            "initial_value": "because",
        },
    },
    {
        "type": "input",
        "label": {"type": PLAIN, "text": "Scope"},
        "element": {"type": "radio_buttons", "action_id": "s", "options": OPTIONS},
    },
]


@pytest.mark.parametrize("screen", Screen)
def test_a_message(screen: Screen) -> None:
    html = page({"card": {"text": "fallback", "blocks": BLOCKS}}, screen)
    words = (
        "Header words",
        "<b>GPU</b>",
        "field words",
        "Approve drain",
        "small print",
        "a timeline",
        "markdown words",
    )
    assert [each for each in words if each not in html] == []
    assert f"width:{screen.value}px" in html
    assert "unknown" not in html.partition("<main")[2]


def test_a_message_without_blocks_is_its_text() -> None:
    assert "only <b>text</b>" in page({"text": {"text": "only *text*"}}, Screen.PHONE)


def test_a_modal() -> None:
    modal = {
        "type": "modal",
        "title": {"type": PLAIN, "text": "Wrong cause"},
        "submit": {"type": PLAIN, "text": "Send"},
        "close": {"type": PLAIN, "text": "Close"},
        "blocks": FIELDS,
    }
    html = page({"modal": modal}, Screen.PHONE)
    words = ("Wrong cause", "Send", "Close", "(optional)", "closed list", "gpu.ecc", "because", "Scope")
    assert [each for each in words if each not in html] == []


def test_a_block_that_is_not_known_is_said_to_be() -> None:
    assert '<div class="unknown">banner</div>' in page({"new": {"blocks": [{"type": "banner"}]}}, Screen.DESK)
