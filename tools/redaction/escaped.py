r"""Secrets inside JSON inside JSON: `{\"password\": \"…\"}` is looked at as the text that it stands for. Pure."""

import json
import re
from collections.abc import Callable, Iterator

LEVELS = 3
"""How deep JSON is looked for in JSON: a log line of a container that prints an object with a config in it has three."""

_ESCAPE = re.compile(r"\\(?:([\"\\/bfnrt])|u00([0-7][0-9a-fA-F]))")
_ESCAPED_QUOTE_OR_LINE = re.compile(r"\\[\"n]")
_MEANS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def redact_escaped(text: str, redact: Callable[[str], str], mark: re.Pattern[str]) -> str:
    """Return `text` with what `redact` finds in the meaning of its escaped lines replaced by the same marks."""
    if not _ESCAPED_QUOTE_OR_LINE.search(text):
        return text
    return "\n".join(
        _line(line, redact, mark) if _ESCAPED_QUOTE_OR_LINE.search(line) else line
        for line in text.split("\n")
    )


def _line(line: str, redact: Callable[[str], str], mark: re.Pattern[str]) -> str:
    meaning = line
    for level in range(1, LEVELS + 1):
        meaning = _ESCAPE.sub(_meant, meaning)
        for secret, sign in replaced_pieces(meaning, redact(meaning), mark):
            line = line.replace(_escaped(secret, level), sign)
    return line


def _meant(match: re.Match[str]) -> str:
    plain, code = match.groups()
    return chr(int(code, 16)) if code else _MEANS.get(plain, plain)


def _escaped(text: str, level: int) -> str:
    for _ in range(level):
        text = json.dumps(text, ensure_ascii=False)[1:-1]
    return text


def replaced_pieces(meaning: str, redacted: str, mark: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield each piece of text that was replaced, with its mark; what was not replaced stands in both, in order."""
    if meaning == redacted:
        return
    first, *rest = mark.split(redacted)
    at = len(first)
    for number, (sign, after) in enumerate(zip(mark.findall(redacted), rest, strict=True), start=1):
        end = len(meaning) - len(after) if number == len(rest) else meaning.find(after, at + 1)
        if meaning[at:end] not in {"", sign}:
            yield meaning[at:end], sign
        at = end + len(after)
