"""The form of what a scripted model says. `lies` are the sentences that must never be in a report."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from firstfault.evals.sim.prompt_rows import Prompt, Row

Item = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """The text of an answer and the lies in it."""

    text: str
    lies: tuple[str, ...] = ()


Script = Callable[[Prompt, int], Saying]
"""From the prompt and the number of the call (from 0) to what is said."""


def saying(
    *,
    reads: Sequence[Item] = (),
    hypotheses: Sequence[Item] = (),
    signals: Sequence[Item] = (),
    claims: Sequence[Item] = (),
    lies: tuple[str, ...] = (),
) -> Saying:
    """Return an answer of the right form."""
    whole = {
        "reads": list(reads),
        "hypotheses": list(hypotheses),
        "signals": list(signals),
        "claims": list(claims),
    }
    return Saying(text=json.dumps(whole), lies=lies)


def claim(text: str, *rows: Row, about: str | None = None, quote: str | None = None) -> Item:
    """Return a claim that quotes the beginning of each row."""
    quotes = [{"evidence": row.name, "quote": quote or quotable(row)} for row in rows]
    return {"text": text, "quotes": quotes, "about": about, "absent": None}


def quotable(row: Row) -> str:
    """Return the longest part of a row that nothing was taken out of, at most 60 characters."""
    return max(re.split(r"‹[^›]*›", row.text), key=len)[:60].strip()


def spoken(signal: str) -> str:
    """Return a signal name as words: `xid.79` is `xid 79`."""
    return " ".join(signal.split(" x", maxsplit=1)[0].replace(".", " ").replace("_", " ").split())
