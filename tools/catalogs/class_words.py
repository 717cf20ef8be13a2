"""The table of class words: in how many inputs of a class, and lists of its terms, a word stands.

`class_words.csv` is counted from this project's own inputs (`python -m firstfault.evals.words` writes it again);
`class_terms.csv` is written by hand, from general knowledge of the field: its `source` says which documentation describes
the parts that a row is about, and no word was taken from there one by one.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from firstfault.tools.catalogs.tables import CatalogueError, read_table
from firstfault.tools.catalogs.wordstems import stems

ALL_INPUTS = "*"
"""Stands for a word in the row that says how many inputs a class has."""
TERM_COUNT = 0.5
"""What a term of the hand-written lists counts: half an input, so that it fills what no input says and overrules none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWords:
    """counts: word → class → inputs with it. inputs: class → how many inputs it has."""

    counts: Mapping[str, Mapping[str, float]]
    inputs: Mapping[str, int]


@cache
def class_words() -> ClassWords:
    """Return both tables, added up. Raises CatalogueError when a count is none."""
    counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in read_table("class_words.csv"):
        if not row["inputs"].isdigit():
            msg = f"`class_words.csv` word `{row['word']}`: `{row['inputs']}` is no count"
            raise CatalogueError(msg)
        counts[row["word"]][row["class"]] += int(row["inputs"])
    inputs = {name: int(number) for name, number in counts.pop(ALL_INPUTS).items()}
    for row in read_table("class_terms.csv"):
        for word in set(stems(row["terms"])):
            counts[word][row["class"]] += TERM_COUNT
    return ClassWords(counts={word: dict(held) for word, held in counts.items()}, inputs=inputs)
