"""The limits that Slack documents, at the last size that is taken and the first that is not."""

import pytest

from firstfault.evals.sim.kube_json import Body
from tests.slackworld.limits import faults_in_blocks, faults_in_view

PLAIN = "plain_text"


def text(size: int, kind: str = "mrkdwn") -> Body:
    return {"type": kind, "text": "x" * size}


def section(size: int) -> Body:
    return {"type": "section", "text": text(size)}


def actions(count: int = 1, **more: object) -> Body:
    buttons = [
        {"type": "button", "action_id": f"a{number}", "text": text(1, PLAIN), **more}
        for number in range(count)
    ]
    return {"type": "actions", "elements": buttons}


def select(count: int, size: int = 1) -> Body:
    options = [{"text": text(size, PLAIN), "value": str(number)} for number in range(count)]
    return {"type": "static_select", "action_id": "s", "options": options}


def view(**more: object) -> Body:
    return {"type": "modal", "title": text(5, PLAIN), "blocks": [section(1)], **more}


@pytest.mark.parametrize(
    ("largest", "too_large"),
    [
        ([section(1)] * 50, [section(1)] * 51),
        ([section(3000)], [section(3001)]),
        ([{"type": "section", "fields": [text(2000)]}], [{"type": "section", "fields": [text(2001)]}]),
        ([{"type": "section", "fields": [text(1)] * 10}], [{"type": "section", "fields": [text(1)] * 11}]),
        ([{"type": "header", "text": text(150, PLAIN)}], [{"type": "header", "text": text(151, PLAIN)}]),
        (
            [{"type": "context", "elements": [text(1)] * 10}],
            [{"type": "context", "elements": [text(1)] * 11}],
        ),
        ([actions(25)], [actions(26)]),
        ([actions(text=text(75, PLAIN))], [actions(text=text(76, PLAIN))]),
        ([actions(value="x" * 2000)], [actions(value="x" * 2001)]),
        ([actions(action_id="x" * 255)], [actions(action_id="x" * 256)]),
        ([actions(url="x" * 3000)], [actions(url="x" * 3001)]),
        ([section(1) | {"block_id": "x" * 255}], [section(1) | {"block_id": "x" * 256}]),
        ([section(1) | {"accessory": select(100)}], [section(1) | {"accessory": select(101)}]),
        ([section(1) | {"accessory": select(1, 75)}], [section(1) | {"accessory": select(1, 76)}]),
        (
            [{"type": "markdown", "text": "x" * 6000}] * 2,
            [{"type": "markdown", "text": "x" * 6000}] * 2 + [{"type": "markdown", "text": "x"}],
        ),
        ([actions(2)], [actions(2, action_id="same")]),
        ([actions(style="danger")], [actions(style="warning")]),
        ([actions()], [actions(text=text(5))]),
    ],
)
def test_messages(largest: list[Body], too_large: list[Body]) -> None:
    assert faults_in_blocks(largest, "message") == []
    assert len(faults_in_blocks(too_large, "message")) == 1


@pytest.mark.parametrize(
    "blocks",
    [
        "text",
        [section(0)],
        [{"type": "section"}],
        [{"type": "banner"}],
        [{"type": "actions", "elements": []}],
        [{"type": "image", "image_url": "https://example.com/a.png"}],
        [section(1) | {"colour": "red"}],
        [section(1) | {"block_id": "a"}, section(1) | {"block_id": "a"}],
        [{"type": "actions", "elements": [{"type": "plain_text_input", "action_id": "a"}]}],
    ],
)
def test_what_is_no_block_is_refused(blocks: object) -> None:
    assert faults_in_blocks(blocks, "message")


@pytest.mark.parametrize(
    ("largest", "too_large"),
    [
        (view(title=text(24, PLAIN)), view(title=text(25, PLAIN))),
        (view(submit=text(24, PLAIN)), view(submit=text(25, PLAIN))),
        (view(close=text(24, PLAIN)), view(close=text(25, PLAIN))),
        (view(private_metadata="x" * 3000), view(private_metadata="x" * 3001)),
        (view(callback_id="x" * 255), view(callback_id="x" * 256)),
        (view(blocks=[section(1)] * 100), view(blocks=[section(1)] * 101)),
    ],
)
def test_modals(largest: Body, too_large: Body) -> None:
    assert faults_in_view(largest) == []
    assert len(faults_in_view(too_large)) == 1


def test_a_modal_with_a_field_needs_a_button_to_submit() -> None:
    field = {
        "type": "input",
        "label": text(5, PLAIN),
        "element": {"type": "plain_text_input", "action_id": "t"},
    }
    assert faults_in_view(view(blocks=[field], submit=text(4, PLAIN))) == []
    assert faults_in_view(view(blocks=[field]))


def test_the_place_of_a_fault_is_told() -> None:
    (said,) = faults_in_blocks([section(1), section(3001)], "message")
    assert said == "must be less than 3001 characters [json-pointer:/blocks/1/text/text]"
