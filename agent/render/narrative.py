"""The summary of a report taken apart: the headline that code wrote, and the sentences of a model that passed the check."""

import re
from dataclasses import dataclass

_SENTENCE = re.compile(r"(?P<text>.+?) \[(?P<ids>ev-[0-9a-f]+(?:, ev-[0-9a-f]+)*)\]\.(?: |$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One grounded sentence and the ids of its evidence."""

    text: str
    evidence: tuple[str, ...]


def headline(summary: str) -> str:
    """Return the first line of a summary: what code says is wrong."""
    return summary.split("\n", 1)[0]


def sentences(summary: str) -> tuple[Sentence, ...]:
    """Return the sentences after the headline; none when no model was asked or none of its sentences passed."""
    said = summary.partition("\n")[2]
    return tuple(
        Sentence(text=f"{found['text']}.", evidence=tuple(found["ids"].split(", ")))
        for found in _SENTENCE.finditer(said)
    )
