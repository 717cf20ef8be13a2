"""Text that came from outside, made safe for Slack's mrkdwn.

Nothing in telemetry may become a mention, a link, an emoji or a format: `& < >` are escaped, so that no `<@U…>` or `<!channel>`
can begin; text blocks are verbatim, so that Slack links nothing by itself; and a word that holds a formatting character or
looks like an emoji (as the bus address `0000:ab:00.0` does) is set as code, where Slack changes nothing.

Source: Slack, "Formatting text for app surfaces" (escaping, date tokens); "Block Kit, text object" (verbatim).
"""

import re
from datetime import UTC, datetime
from urllib.parse import quote

from firstfault.agent.render.phrases import moment
from firstfault.agent.render.safety import cut, one_line, safe_link

_RISKY = re.compile(r"(?:^|[^\w])[*_~]|[*_~](?:[^\w]|$)|`|:[\w+'-]+:|://")
_QUOTED = re.compile(r"`([^`]+)`")
_MAX_LINK = 1500
"""A link that is longer would leave no room for words."""
_DATE = "{date_short_pretty} {time_secs}"


def escaped(text: str) -> str:
    """Return `text` with the three characters escaped that control Slack's markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(text: str, limit: int = 120) -> str:
    """Return one line of `text` as inline code; a backtick in it, which would end the code, is shown as an accent."""
    shown = one_line(text, limit).replace("`", "\u02cb")
    return f"`{escaped(shown)}`" if shown else ""


def prose(text: str, limit: int = 300) -> str:
    """Return one line of `text` as words; what stands in backticks, and each word that Slack could take for markup, is code."""
    parts = _QUOTED.split(one_line(text, limit))
    return "".join(code(part, limit) if number % 2 else _worded(part) for number, part in enumerate(parts))


def _worded(text: str) -> str:
    return " ".join(code(word) if _RISKY.search(word) else escaped(word) for word in text.split(" "))


def bold(text: str, limit: int = 120) -> str:
    """Return one line of `text` in bold, or as code where bold would break."""
    shown = one_line(text, limit)
    return (
        code(shown, limit) if "*" in shown or _RISKY.search(shown) else f"*{escaped(shown)}*" if shown else ""
    )


def link(url: str | None, words: str) -> str:
    """Return `words`, linked where the address is one that a browser may follow. words: ours, or already safe."""
    target = safe_link(url)
    if target is None or len(target) > _MAX_LINK:
        return words
    return f"<{escaped(quote(target, safe=_KEPT))}|{words.replace('|', '/')}>"


_KEPT = "%/:=&?~#+!$,;'@()*[]-._"
"""What stays as it is in an address; `|`, `<` and `>` would end the link."""


def date(at: datetime) -> str:
    """Return a time in the reader's zone, and in UTC."""
    utc = f"{at.astimezone(UTC):%H:%M:%S}" + (f".{at.microsecond // 1000:03d}" if at.microsecond else "")
    return f"{local(at)} ({utc} UTC)"


def local(at: datetime) -> str:
    """Return a time in the reader's zone; what cannot show it shows UTC."""
    return f"<!date^{int(at.timestamp())}^{_DATE}|{moment(at)}>"


def shortened(text: str, limit: int, more: str = "") -> str:
    """Return `text`, or as many of its lines as leave room for `more` within `limit`; never half a line of markup."""
    if len(text) <= limit:
        return text
    room = limit - len(more) - 2
    kept: list[str] = []
    for line in text.split("\n"):
        if sum(len(each) + 1 for each in kept) + len(line) > room:
            break
        kept.append(line)
    shown = "\n".join(kept) or cut(plain(text.split("\n", 1)[0]), max(1, room))
    return f"{shown}\n{more}" if more else f"{shown}\n…"


def plain(text: str) -> str:
    """Return mrkdwn of ours as plain words, for notifications and screen readers."""
    without = re.sub(r"<!date\^\d+\^[^|>]*\|([^>]*)>", r"\1", text)
    without = re.sub(r"<(?:https?:[^|>]*)\|([^>]*)>", r"\1", without)
    without = re.sub(r"<@(\w+)>", r"\1", without)
    return without.replace("*", "").replace("`", "")
