"""What a secret looks like: the shipped patterns, and those that a site adds."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_GROUP = "(?P<s>"
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

_VALUE_IS_NO_PLACEHOLDER = (
    r"(?!\$[{(]|\$[A-Z_]{2,}(?![a-z0-9])|\*{3}|<[^>\n]{0,80}>|%[sdvq]|\{|\[[A-Za-z ]{1,20}\]|\(|\.{0,2}/[\w.-]|[xX]{4,}"
    r"|[0-9.]{1,9}(?![^\s\"',;&])"
    r"|(?i:null|none|nil|true|false|unset|empty|incorrect|invalid|required|expired|missing|wrong|failed|denied|not|is|was"
    r"|must|for|and|or|the|of|to|from|in|with|authentication|string|redacted|hidden|yes|no|prompt|changed|file)"
    r"(?![\w-]))"
)
_SHORT_FORMS = {
    "{VALUE}": r"""(?:"(?P<s>{V}(?:[^"\\\n‹›]|\\[\\/u]){3,512})|'(?P<s>{V}[^'\n‹›]{3,512})|(?P<s>{V}[^\s"',;&‹›\\]{3,}))""",
    "{SEP}": r"""\\?["']?[ \t]{0,8}(?:=>|=|:(?!=))[ \t]{0,16}\\?""",
    "{W}": r"(?<![A-Za-z0-9_])",
    "{V}": _VALUE_IS_NO_PLACEHOLDER,
}


class RedactionError(ValueError):
    """A pattern of a site cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One form of secret.

    spans_lines: the form may begin on one line and end on a later one, in texts that hold one of these literals
    (the empty text: in all); None when it lies on one line.
    """

    kind: str
    pattern: str
    spans_lines: tuple[str, ...] | None = None


@cache
def shipped_rules() -> tuple[Rule, ...]:
    """Return the rules of `patterns.toml`, in order."""
    text = files("firstfault.tools.redaction").joinpath("patterns.toml").read_text(encoding="utf-8")
    tables: list[dict[str, Any]] = tomllib.loads(text)["kind"]
    return tuple(
        Rule(
            kind=table["name"],
            pattern=_expanded(table["pattern"]),
            spans_lines=tuple(table["spans_lines"]) if "spans_lines" in table else None,
        )
        for table in tables
    )


def site_rules(patterns: Mapping[str, str]) -> tuple[Rule, ...]:
    """Return rules for a site's own patterns by kind name.

    Raises RedactionError for a name or pattern that cannot be used: the message names it.
    """
    return tuple(_site_rule(kind, pattern) for kind, pattern in patterns.items())


def named(pattern: str, number: int) -> str:
    """Return `pattern` with its secret groups named `r_NUMBER_PLACE`, or wholly in one such group."""
    first, *rest = pattern.split(_GROUP)
    if not rest:
        return f"(?P<r_{number}_0>{pattern})"
    return first + "".join(f"(?P<r_{number}_{place}>{part}" for place, part in enumerate(rest))


def plain(pattern: str) -> str:
    """Return `pattern` without names of groups."""
    return pattern.replace(_GROUP, "(?:")


def _site_rule(kind: str, pattern: str) -> Rule:
    if not _NAME.fullmatch(kind):
        msg = f"the redaction kind `{kind}` is not a name: use lower-case letters, digits and hyphens"
        raise RedactionError(msg)
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        msg = f"the redaction pattern `{pattern}` is not a regular expression: {error}"
        raise RedactionError(msg) from error
    if compiled.match(""):
        msg = (
            f"the redaction pattern `{pattern}` matches nothing at all: make it match at least one character"
        )
        raise RedactionError(msg)
    if compiled.groups:
        msg = f"the redaction pattern `{pattern}` has groups: write `(?:…)`, the whole match is redacted"
        raise RedactionError(msg)
    return Rule(kind=kind, pattern=pattern, spans_lines=("",))


def _expanded(pattern: str) -> str:
    for short, form in _SHORT_FORMS.items():
        pattern = pattern.replace(short, form)
    return pattern
