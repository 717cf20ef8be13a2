"""A page that shows one message or one modal, at the width of a phone or of a desk. Pure."""

from collections.abc import Mapping
from enum import Enum
from importlib.resources import files
from string import Template
from typing import Any

from firstfault.evals.preview.blocks import blocks_html, text_html
from firstfault.evals.preview.mrkdwn import plain, shown


class Screen(Enum):
    """Where it is looked at. The value is the width in CSS pixels: an iPhone's, and Slack's column on a desk."""

    PHONE = 390
    DESK = 820


_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>$title</title><style>$style</style></head>
<body><main style="width:${width}px">$content</main>
<script>
const main = document.querySelector("main");
document.body.dataset.height = Math.ceil(main.getBoundingClientRect().height);
document.body.dataset.overflow = main.scrollWidth - main.clientWidth;
</script></body></html>
""")
"""The script notes how high the content is and how much of it sticks out, for whoever takes the picture."""


def page(content: Mapping[str, Any], screen: Screen, title: str) -> str:
    """Return the HTML page of a message (`text`, `blocks`) or a modal (`type: modal`)."""
    draw = _modal if content.get("type") == "modal" else _message
    return _PAGE.substitute(
        title=plain(title),
        style=files("firstfault.evals.preview").joinpath("preview.css").read_text(encoding="utf-8"),
        width=screen.value,
        content=draw(content),
    )


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
