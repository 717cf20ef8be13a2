"""Text of strangers made harmless to show: redacted before, then stripped of what could hide, command or flood. Pure.

A model cannot quote what was altered here: the check compares with the stored bytes, and altered parts are marked ‹so›.
"""

import re
import unicodedata

HIDDEN = "‹hidden›"
TEMPLATE = "‹template›"
MAX_CELL_CHARS = 200

_COLOUR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_COMBINING = frozenset({"Mn", "Me"})
_TEMPLATES = re.compile(
    r"<\|[^|<>]{0,40}\|>|<<\s*/?\s*SYS\s*>>|\[/?\s*(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\s*\]"
    r"|</?(?:s|bos|eos|think|system|user|assistant|tool|tool_call|tool_response|function_calls?|function_results?|invoke|data)\b[^<>]{0,80}>"
    r"|<(?:start|end)_of_turn>|<｜[^｜]{0,40}｜>|\{\{.{0,80}?\}\}|\{%.{0,80}?%\}"
    r"|^\s*(?:#{1,4}\s*)?(?:system|user|assistant|human|ai|developer|tool)\s*:|\b(?:Human|Assistant|System)\s*:\s",
    re.IGNORECASE,
)
_BLOB = re.compile(r"[A-Za-z0-9+/_=-]{100,}")


def harmless(text: str, limit: int = MAX_CELL_CHARS) -> str:
    """Return one line without control or hidden characters, chat markup or blobs, cut to `limit` with its length told."""
    seen = _visible(_COLOUR.sub("", text))
    seen = _BLOB.sub(lambda found: f"{found[0][:12]}‹{len(found[0])} characters›", seen)
    seen = _TEMPLATES.sub(TEMPLATE, seen)
    return shortened(" ".join(seen.split(" ")), limit)


def shortened(text: str, limit: int) -> str:
    """Return `text`, or its head and tail with the number of characters left out between them."""
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit - limit * 2 // 3
    return f"{text[:head]}‹{len(text) - limit} characters left out›{text[-tail:]}"


def _visible(text: str) -> str:
    """Return `text` with each run of characters that a human does not see replaced by a mark; a tab is a blank."""
    if text.isascii() and text.isprintable():
        return text
    found: list[str] = []
    marks_in_a_row = 0
    for character in text:
        category = unicodedata.category(character)
        marks_in_a_row = marks_in_a_row + 1 if category in _COMBINING else 0
        unseen = (
            category in _UNSEEN
            or marks_in_a_row > 1
            or "\ufe00" <= character <= "\ufe0f"
            or character in "\u115f\u1160\u3164\u2800"
        )
        if character in "\t\u00a0":
            found.append(" ")
        elif not unseen:
            found.append(character)
        elif not found or found[-1] != HIDDEN:
            found.append(HIDDEN)
    return "".join(found)
