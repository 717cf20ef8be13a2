"""Block Kit as HTML: what a message or a modal looks like, for eyes and pictures. Pure.

Not Slack's own drawing: sizes, colours and line breaks are near enough to judge whether a message is readable.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from firstfault.evals.preview import mrkdwn

Part: TypeAlias = Mapping[str, Any]


def blocks_html(blocks: Sequence[Part]) -> str:
    """Return the HTML of a message's or a modal's blocks."""
    return "\n".join(block_html(block) for block in blocks)


def block_html(block: Part) -> str:
    """Return the HTML of one block; one that is not known is said to be so."""
    draw = _BLOCKS.get(block["type"])
    return draw(block) if draw else f'<div class="unknown">{mrkdwn.plain(block["type"])}</div>'


def text_html(text: Part) -> str:
    """Return the HTML of a text object."""
    return mrkdwn.plain(text["text"]) if text["type"] == "plain_text" else mrkdwn.shown(text["text"])


def _section(block: Part) -> str:
    parts: list[str] = []
    if block.get("text"):
        parts.append(f'<div class="text">{text_html(block["text"])}</div>')
    if block.get("fields"):
        cells = "".join(f"<div>{text_html(field)}</div>" for field in block["fields"])
        parts.append(f'<div class="fields">{cells}</div>')
    if block.get("accessory"):
        parts.append(f'<div class="accessory">{_element(block["accessory"])}</div>')
    return f'<div class="block section">{"".join(parts)}</div>'


def _context(block: Part) -> str:
    return f'<div class="block context">{" ".join(_element(part) for part in block["elements"])}</div>'


def _actions(block: Part) -> str:
    return f'<div class="block actions">{"".join(_element(part) for part in block["elements"])}</div>'


def _header(block: Part) -> str:
    return f'<div class="block header">{text_html(block["text"])}</div>'


def _image(block: Part) -> str:
    title = f"<div>{text_html(block['title'])}</div>" if block.get("title") else ""
    return f'<div class="block">{title}<div class="picture">{mrkdwn.plain(block["alt_text"])}</div></div>'


def _input(block: Part) -> str:
    optional = ' <span class="muted">(optional)</span>' if block.get("optional") else ""
    hint = f'<div class="muted">{text_html(block["hint"])}</div>' if block.get("hint") else ""
    label = f'<div class="label">{text_html(block["label"])}{optional}</div>'
    return f'<div class="block input">{label}{_element(block["element"])}{hint}</div>'


def _table(block: Part) -> str:
    rows = "".join(
        f"<tr>{''.join(f'<td>{mrkdwn.plain(_spoken(cell))}</td>' for cell in row)}</tr>"
        for row in block["rows"]
    )
    return f'<div class="block table"><table>{rows}</table></div>'


def _markdown(block: Part) -> str:
    return f'<div class="block section"><div class="text">{mrkdwn.plain(block["text"])}</div></div>'


def _rich_text(block: Part) -> str:
    return f'<div class="block section"><div class="text">{mrkdwn.plain(_spoken(block))}</div></div>'


def _spoken(part: Part) -> str:
    return str(part.get("text", "")) + "".join(_spoken(each) for each in part.get("elements", ()))


_BLOCKS: Mapping[str, Callable[[Part], str]] = {
    "section": _section,
    "context": _context,
    "actions": _actions,
    "header": _header,
    "divider": lambda _: "<hr>",
    "image": _image,
    "input": _input,
    "table": _table,
    "markdown": _markdown,
    "rich_text": _rich_text,
}


def _element(part: Part) -> str:
    kind = part["type"]
    if kind in {"mrkdwn", "plain_text"}:
        return f"<span>{text_html(part)}</span>"
    if kind == "button":
        return f'<span class="button {part.get("style", "")}">{text_html(part["text"])}</span>'
    if kind == "image":
        return f'<span class="picture">{mrkdwn.plain(part["alt_text"])}</span>'
    if kind == "overflow":
        return '<span class="button">…</span>'
    if kind in {"checkboxes", "radio_buttons"}:
        return "".join(f'<div class="choice">{text_html(each["text"])}</div>' for each in part["options"])
    return f'<div class="field {"tall" if part.get("multiline") else ""}">{_held(part)}</div>'


def _held(part: Part) -> str:
    initial = part.get("initial_option")
    if initial:
        return f"{text_html(initial['text'])} ▾"
    if part.get("initial_value"):
        return mrkdwn.plain(part["initial_value"])
    placeholder = text_html(part["placeholder"]) if part.get("placeholder") else ""
    return f'<span class="muted">{placeholder}{" ▾" if "select" in part["type"] else ""}</span>'
