"""Blocks within Slack's limits: too much text is cut, with a link to the whole; a message is never refused for its size.

Source: Slack, "Reference: blocks" (50 blocks in a message, 100 in a modal, 3,000 characters in a section, 25 elements in
actions, 10 elements in a context), "Button element" (75 characters of text, 2,000 of value), "chat.postMessage" (text is best
kept under 4,000 characters), "Views" (24 characters in titles and buttons of a modal).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from firstfault.agent.render.safety import cut
from firstfault.agent.slack.blocks.text import shortened
from firstfault.agent.store.canon import storable

Block = dict[str, Any]

MAX_BLOCKS = 50
MAX_MODAL_BLOCKS = 100
MAX_SECTION = 3000
MAX_BUTTON = 75
MAX_VALUE = 2000
MAX_ACTIONS = 25
MAX_TITLE = 24
MAX_TEXT = 3900
MAX_OPTION = 75
MAX_OPTIONS = 100


def section(text: str, *, more: str = "", block_id: str | None = None) -> Block:
    """Return a section; what is too long ends with `more`. Slack is asked not to fold it behind "see more"."""
    block: Block = {"type": "section", "text": mrkdwn(shortened(text, MAX_SECTION, more)), "expand": True}
    return block if block_id is None else {**block, "block_id": block_id}


def context(text: str) -> Block:
    """Return small print."""
    return {"type": "context", "elements": [mrkdwn(shortened(text, MAX_SECTION))]}


def mrkdwn(text: str) -> Block:
    """Return a text object in which Slack makes no links and mentions by itself."""
    return {"type": "mrkdwn", "text": text or " ", "verbatim": True}


def plain_text(text: str, limit: int) -> Block:
    """Return a text object that is shown as it is."""
    return {"type": "plain_text", "text": cut(text, limit) or " ", "emoji": False}


def button(text: str, action: str, value: str, *, style: str | None = None, label: str = "") -> Block:
    """Return a button. value: ids only. label: what a screen reader says."""
    found: Block = {
        "type": "button",
        "text": plain_text(text, MAX_BUTTON),
        "action_id": action,
        "value": storable(value)[:MAX_VALUE],
    }
    if style is not None:
        found["style"] = style
    if label:
        found["accessibility_label"] = cut(label, MAX_BUTTON)
    return found


def link_button(text: str, action: str, url: str) -> Block:
    """Return a button that opens a page."""
    return {"type": "button", "text": plain_text(text, MAX_BUTTON), "action_id": action, "url": url}


def actions(elements: Sequence[Block], block_id: str) -> Block:
    """Return a row of buttons."""
    return {"type": "actions", "block_id": block_id, "elements": list(elements[:MAX_ACTIONS])}


def divider() -> Block:
    """Return a line."""
    return {"type": "divider"}


def fitted(blocks: Sequence[Block], *, limit: int = MAX_BLOCKS, more: str = "") -> list[Block]:
    """Return the blocks, or as many as leave room for one that says `more`."""
    if len(blocks) <= limit:
        return list(blocks)
    return [*blocks[: limit - 1], context(more or "more than can be shown here")]


def message(
    text: str, blocks: Sequence[Block], *, more: str = "", **further: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what is posted. text: what notifications and screen readers say."""
    return {"text": cut(text, MAX_TEXT), "blocks": fitted(blocks, more=more), **further}


def modal(  # noqa: PLR0913  # the fields of a view
    title: str,
    blocks: Sequence[Block],
    *,
    callback: str,
    private: str = "",
    submit: str | None = None,
    close: str = "Close",
) -> Block:
    """Return a view. private: ids only; they come back with what is submitted."""
    view: Block = {
        "type": "modal",
        "callback_id": callback,
        "title": plain_text(title, MAX_TITLE),
        "close": plain_text(close, MAX_TITLE),
        "private_metadata": private,
        "blocks": fitted(blocks, limit=MAX_MODAL_BLOCKS),
    }
    if submit is not None:
        view["submit"] = plain_text(submit, MAX_TITLE)
    return view


def choice(label: str, block_id: str, options: Mapping[str, str], chosen: str | None = None) -> Block:
    """Return a field with one choice of several. options: value → text."""
    rows = [
        {"text": plain_text(text, MAX_OPTION), "value": value[:MAX_OPTION]} for value, text in options.items()
    ][:MAX_OPTIONS]
    element: Block = {"type": "static_select", "action_id": block_id, "options": rows}
    first = next((row for row in rows if row["value"] == chosen), None)
    if first is not None:
        element["initial_option"] = first
    return {"type": "input", "block_id": block_id, "label": plain_text(label, 2000), "element": element}


def field(label: str, block_id: str, *, is_long: bool = False, is_optional: bool = False) -> Block:
    """Return a field for words."""
    return {
        "type": "input",
        "block_id": block_id,
        "optional": is_optional,
        "label": plain_text(label, 2000),
        "element": {
            "type": "plain_text_input",
            "action_id": block_id,
            "multiline": is_long,
            "max_length": 3000,
        },
    }
