"""Tells sentences of people from lines of machines."""

import re
from collections.abc import Sequence

from firstfault.tools.stamps.dialects import moments

_WORD = re.compile(r"^[(\"'`]?[A-Za-z][A-Za-z'’/-]*[.,;:!?)\"'`]*$")
_ENDS = (".", "?", "!", ".)", ":")
_LEAST_WORDS = 4
_LEAST_WORD_SHARE = 0.55
_LEAST_PROSE_SHARE = 0.6
_HEAD = re.compile(r"^[\s\-–—*•>#|]+")
_CHANGED = re.compile(
    r"\b(?:upgrad|chang|roll(?:ed|ing)? ?(?:out|back)|deploy|appl(?:y|ied)|merg|releas|unpaus|destroy|delet|remov|"
    r"replac|migrat|switch|enabl|disabl|set )\w*|->|→",
    re.IGNORECASE,
)
_LISTED = re.compile(r"^\s*(?:- )?[\w.-]{1,50}:(?:\s|$)")
_WORDY = 3


def is_sentence(line: str) -> bool:
    """Return whether `line` reads like a person's sentence: mostly words, and it ends like one."""
    text = _without_time(line)
    words = text.split()
    if len(words) < _LEAST_WORDS or not text.endswith(_ENDS):
        return False
    return sum(1 for word in words if _WORD.match(word)) >= len(words) * _LEAST_WORD_SHARE


def is_prose(lines: Sequence[str]) -> bool:
    """Return whether most of `lines` are sentences and none is a repeat, as lines of machines are."""
    said = [line for line in lines if line.strip()]
    if not said or len(set(said)) < len(said):
        return False
    return sum(1 for line in said if is_sentence(line)) >= len(said) * _LEAST_PROSE_SHARE


def is_diary(lines: Sequence[str]) -> bool:
    """Return whether every line begins with a date and goes on in words: a timeline or a list of changes."""
    said = [line for line in lines if line.strip()]
    return bool(said) and all(_is_entry(line) for line in said)


def tells_changes(lines: Sequence[str]) -> bool:
    """Return whether more than half of the entries of a diary tell of changes."""
    said = [line for line in lines if line.strip()]
    return sum(1 for line in said if _CHANGED.search(line)) * 2 > len(said)


def is_wordy_yaml(lines: Sequence[str]) -> bool:
    """Return whether this is `key: value` text with words as values: notes kept as YAML."""
    said = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not said or not all(_LISTED.match(line) or line.lstrip().startswith("- ") for line in said):
        return False
    remark = next((line for line in lines if line.strip()), "")
    if remark.startswith("# ") and len(remark.split()) > _LEAST_WORDS:
        return True
    if len(said) <= 1:
        return False
    values = [line.partition(": ")[2] for line in said if ": " in line]
    return sum(1 for value in values if len(value.split()) >= _WORDY) * 3 >= len(values) > 0


def _is_entry(line: str) -> bool:
    found = moments(_HEAD.sub("", line))
    if not found or found[0].local is None or found[0].resolution_s < 1.0:
        return False
    words = _without_time(line).split()
    return (
        len(words) >= _LEAST_WORDS - 1
        and sum(1 for word in words if _WORD.match(word)) >= len(words) * _LEAST_WORD_SHARE
    )


def _without_time(line: str) -> str:
    text = _HEAD.sub("", line).strip()
    found = moments(text)
    if found and text.startswith(found[0].raw):
        text = text[len(found[0].raw) :]
    return _HEAD.sub("", text.lstrip(" :,")).strip()
