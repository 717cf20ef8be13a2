"""Slack's mrkdwn as HTML, as Slack shows it: code first, then what stands in `<>`, then bold, italic and struck words.

Source: docs.slack.dev, "Formatting message text".
"""

import html
import re
from collections.abc import Iterator
from datetime import UTC, datetime

_CODE = re.compile(r"```(.+?)```|`([^`\n]+)`", re.DOTALL)
_ANGLE = re.compile(r"<([^<>\n]*)>")
_QUOTE = re.compile(r"^&gt; ?", re.MULTILINE)
_STYLES = tuple(
    (re.compile(rf"(?<![\w{mark}]){mark}(?=\S)([^\n]*?\S){mark}(?![\w{mark}])"), tag)
    for mark, tag in ((r"\*", "b"), ("_", "i"), ("~", "s"))
)
_LIGHTS = {
    "🔴": "red",
    "🟠": "orange",
    "🔵": "blue",
    "🟢": "green",
    "🟡": "gold",
    "⚪": "silver",
    "🔎": "silver",
    "⏳": "silver",
}
_DATE = re.compile(r"!date\^(\d+)\^(.*?)(?:\^(.*))?", re.DOTALL)
_TOKENS: dict[str, str] = {
    "{date_num}": "%Y-%m-%d",
    "{date}": "%B %-d, %Y",
    "{date_short}": "%b %-d, %Y",
    "{date_long}": "%A, %B %-d, %Y",
    "{date_pretty}": "%B %-d, %Y",
    "{date_short_pretty}": "%b %-d, %Y",
    "{date_long_pretty}": "%A, %B %-d, %Y",
    "{time}": "%-I:%M %p",
    "{time_secs}": "%-I:%M:%S %p",
}


def shown(text: str) -> str:
    """Return the HTML of a `mrkdwn` text; a reader in UTC. Nothing in it can become HTML of its own."""
    return "".join(_pieces(text))


def plain(text: str) -> str:
    """Return the HTML of a `plain_text`: line breaks and nothing else."""
    return _lights(html.escape(html.unescape(text), quote=False).replace("\n", "<br>"))


def _pieces(text: str) -> Iterator[str]:
    for quiet, code in _around(_CODE, text):
        if code is None:
            yield _worded(quiet)
        elif code[1] is not None:
            yield f"<pre>{_literal(code[1].strip(chr(10)))}</pre>"
        else:
            yield f"<code>{_literal(code[2])}</code>"


def _worded(text: str) -> str:
    """Set what stands in `<>` aside, so that nothing in an address is taken for a style."""
    aside: list[str] = []

    def keep(found: re.Match[str]) -> str:
        aside.append(_angle(found[1]))
        return f"\x00{len(aside) - 1}\x00"

    styled = _ANGLE.sub(keep, text)
    styled = html.escape(html.unescape(styled), quote=False)
    for pattern, tag in _STYLES:
        styled = pattern.sub(rf"<{tag}>\1</{tag}>", styled)
    styled = _lights(_QUOTE.sub('<span class="quote"></span>', styled).replace("\n", "<br>"))
    return re.sub(r"\x00(\d+)\x00", lambda found: aside[int(found[1])], styled)


def _angle(inside: str) -> str:
    target, _, label = inside.partition("|")
    if (date := _DATE.fullmatch(target)) is not None:
        return f'<time title="{_literal(label)}">{_literal(_dated(date[2], int(date[1])))}</time>'
    if target.startswith(("@", "#", "!")):
        return f'<span class="mention">{_literal(label or target)}</span>'
    return f'<a href="{html.escape(html.unescape(target))}">{_literal(label or target)}</a>'


def _dated(template: str, at: int) -> str:
    moment = datetime.fromtimestamp(at, UTC)
    for token, form in _TOKENS.items():
        template = template.replace(token, moment.strftime(form))
    return template


def _around(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    end = 0
    for found in pattern.finditer(text):
        yield text[end : found.start()], None
        yield "", found
        end = found.end()
    yield text[end:], None


def _literal(text: str) -> str:
    return _lights(html.escape(html.unescape(text)))


def _lights(text: str) -> str:
    for sign, colour in _LIGHTS.items():
        text = text.replace(sign, f'<span class="light" style="background:{colour}"></span>')
    return text
