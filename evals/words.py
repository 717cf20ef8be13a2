"""Writes `class_words.csv`: in how many of this project's own inputs of each class a word of a person stands."""

import csv
import io
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from firstfault.evals.inputs import Input, input_paths, read_input
from firstfault.tools.catalogs.class_words import ALL_INPUTS
from firstfault.tools.catalogs.wordstems import stems
from firstfault.tools.extract.words import SPEAKING
from firstfault.tools.generated import settle
from firstfault.tools.kinds import Kind

ROOT = Path(__file__).resolve().parent.parent
INPUTS = ROOT / "tests" / "classes"
TABLE = ROOT / "tools" / "catalogs" / "class_words.csv"


def words_table(inputs: Iterable[Input]) -> str:
    """Return the table for these inputs; inputs that expect no class say nothing."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for item in inputs:
        expected = item.expect.failure_class or next(iter(item.expect.one_of), None)
        if expected is not None:
            counts[ALL_INPUTS][expected] += 1
            for word in set(stems(_said(item))):
                counts[word][expected] += 1
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("word", "class", "inputs"))
    writer.writerows(
        (word, name, number) for word in sorted(counts) for name, number in sorted(counts[word].items())
    )
    return text.getvalue()


def _said(item: Input) -> str:
    statements = (file.text for file in item.files.values() if Kind(file.kind) in SPEAKING)
    return "\n".join((item.question, *statements))


def main(arguments: list[str]) -> int:
    """Write the table, or with `--check` return 1 when it is not what the inputs say."""
    wanted = words_table(read_input(path) for path in input_paths(INPUTS))
    return settle({TABLE: wanted}, arguments, "firstfault.evals.words")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
