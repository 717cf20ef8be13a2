"""What pasting added is taken away for reading, and the original is what is cited."""

import pytest

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readers.tidy import LARGEST_BYTES, tidied
from tests.documents import document

PENDING = "GPU 00000000:3B:00.0\n    Retired Pages\n        Pending Page Blacklist            : Yes\n"


def pasted(how: str) -> str:
    """Return the text as it looks once it was pasted in one of several ways."""
    lines = PENDING.splitlines()
    if how == "escaped quotation":
        lines = [f"&gt; {line}" for line in lines]
    elif how == "quotation":
        lines = [f"> {line}" for line in lines]
    elif how == "colours":
        lines = [f"\x1b[31m{line}\x1b[0m" for line in lines]
    else:
        lines = [line.replace(" ", "\N{NO-BREAK SPACE}") for line in lines]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("how", ["escaped quotation", "quotation", "colours", "spaces that do not break"])
def test_a_pasted_report_is_read_and_cited_as_it_stands(how: str) -> None:
    given = document(pasted(how), Kind.NVIDIA_SMI, "raw/smi.txt")
    (fact,) = [each for each in read(given, NO_CONTEXT).facts if "pending" in each.name]
    assert fact.value == "Yes"
    assert fact.cite().excerpt == given.lines[2]


def test_what_was_not_pasted_is_left_alone() -> None:
    given = document(PENDING, Kind.NVIDIA_SMI, "raw/smi.txt")
    assert tidied(given) is given


def test_a_sign_in_few_lines_is_no_quotation() -> None:
    given = document("a &amp; b\n> 100 MiB\nc\nd\n", Kind.NVIDIA_SMI, "raw/smi.txt")
    assert list(tidied(given).lines)[:2] == ["a & b", "> 100 MiB"]


def test_large_texts_are_read_as_they_are() -> None:
    given = document("&gt; x\n" * (LARGEST_BYTES // 6), Kind.NVIDIA_SMI, "raw/smi.txt")
    assert tidied(given) is given
