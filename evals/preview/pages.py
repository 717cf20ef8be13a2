"""A page that shows messages and modals, at the width of a phone or of a desk. Pure."""

import html
from collections.abc import Mapping
from enum import Enum
from importlib.resources import files
from string import Template
from typing import Any

from firstfault.evals.preview.blocks import blocks_html, text_html
from firstfault.evals.preview.mrkdwn import shown


class Screen(Enum):
    """Where it is looked at. The value is the width in CSS pixels: an iPhone's, and Slack's column on a desk."""

    PHONE = 390
    DESK = 820


_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>$title</title><style>$style</style></head>
<body>$content
<script>
for (const main of document.querySelectorAll("main")) {
  const box = main.getBoundingClientRect();
  main.dataset.top = Math.round(box.top);
  main.dataset.height = Math.ceil(box.height);
  main.dataset.overflow = main.scrollWidth - main.clientWidth;
}
</script></body></html>
""")
"""The script notes where each message is, how high, and how much of it sticks out, for whoever takes the picture."""


def page(contents: Mapping[str, Mapping[str, Any]], screen: Screen) -> str:
    """Return an HTML page of messages (`text`, `blocks`) and modals (`type: modal`) by name, one below the other."""
    return _PAGE.substitute(
        title="messages of firstfault",
        style=files("firstfault.evals.preview").joinpath("preview.css").read_text(encoding="utf-8"),
        content="\n".join(
            f'<main data-name="{html.escape(name)}" style="width:{screen.value}px">{_drawn(content)}</main>'
            for name, content in contents.items()
        ),
    )


def _drawn(content: Mapping[str, Any]) -> str:
    return _modal(content) if content.get("type") == "modal" else _message(content)


def _message(content: Mapping[str, Any]) -> str:
    blocks = content.get("blocks") or ()
    body = (
        blocks_html(blocks)
        if blocks
        else f'<div class="block text">{shown(str(content.get("text", "")))}</div>'
    )
    return (
        '<div class="message"><div class="avatar">ff</div><div class="body">'
        '<div class="who"><b>firstfault</b> <span class="app">APP</span> <span class="muted">3:04 AM</span></div>'
        f"{body}</div></div>"
    )


def _modal(content: Mapping[str, Any]) -> str:
    buttons = "".join(
        f'<span class="button {style}">{text_html(content[name])}</span>'
        for name, style in (("close", ""), ("submit", "primary"))
        if content.get(name)
    )
    return (
        f'<div class="modal"><div class="title">{text_html(content["title"])}</div>'
        f'<div class="body">{blocks_html(content["blocks"])}</div><div class="foot">{buttons}</div></div>'
    )
