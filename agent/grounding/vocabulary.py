"""The plain words that need no evidence, and the words that change what others mean.

`linking_words.txt` holds words that state no fault, no part, no cause, no order and no amount; adding one is a review.
"""

from functools import lru_cache
from importlib import resources

NEGATORS_AFTER = frozenset(
    {"fail", "refus", "den", "miss", "lose", "block", "reject", "absent", "unable", "impossibl"}
)
"""Stems that turn what stands before them as well: `create failed`, `access denied`."""

NEGATORS = NEGATORS_AFTER | frozenset(
    {
        "no",
        "not",
        "never",
        "none",
        "nor",
        "without",
        "cannot",
        "lack",
        "prevent",
        "un",
        "non",
        "nothing",
        "neither",
    }
)
"""Stems after which the next words mean the opposite."""

HEDGES = frozenset(
    {
        "may",
        "might",
        "could",
        "can",
        "possibl",
        "possibly",
        "perhap",
        "probabl",
        "probably",
        "likely",
        "usual",
        "usually",
    }
    | {
        "often",
        "mostly",
        "suspect",
        "suppos",
        "sometim",
        "seem",
        "if",
        "unles",
        "typical",
        "typically",
        "potential",
        "potentially",
    }
)
"""Stems after which a sentence no longer asserts."""

IRREGULAR = {
    "fell": "fall",
    "fallen": "fall",
    "lost": "lose",
    "loss": "lose",
    "lose": "lose",
    "gone": "go",
    "went": "go",
    "sent": "send",
    "broke": "break",
    "broken": "break",
    "failure": "fail",
    "failures": "fail",
    "was": "be",
    "were": "be",
    "is": "be",
    "are": "be",
    "been": "be",
    "has": "have",
    "had": "have",
    "held": "hold",
    "kept": "keep",
    "left": "leave",
    "ran": "run",
    "stuck": "stick",
    "denied": "den",
    "deny": "den",
    "denies": "den",
    "couldn't": "cannot",
    "couldnt": "cannot",
    "can't": "cannot",
    "isn't": "not",
    "wasn't": "not",
    "doesn't": "not",
    "didn't": "not",
    "hasn't": "not",
    "haven't": "not",
    "won't": "not",
}
"""Forms that an ending does not explain."""

NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight"),
            *("nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
        )
    )
} | {"once": "1", "twice": "2"}
"""Numbers written as words."""


@lru_cache(maxsize=1)
def linking_words() -> frozenset[str]:
    """Return the words of `linking_words.txt`, in lower case."""
    text = (resources.files(__package__ or "") / "linking_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
