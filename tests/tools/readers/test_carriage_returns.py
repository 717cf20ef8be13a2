"""A carriage return in the middle of a line is a character like others: no reader stops at it."""

import pytest

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from tests.documents import document


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize(
    "text",
    [
        "\r0",
        "node,switch\r0,1\nn1\r,s1\n",
        "index, name\r, x\n0\r, a\n",
        "Time,a\r,b\n2026-01-01T00:00:00Z,1\r,2\n",
    ],
)
def test_a_carriage_return_in_a_line_stops_no_reader(kind: Kind, text: str) -> None:
    reading = read(document(text, kind, "raw/1.txt"), NO_CONTEXT)
    assert all(fact.document.path == "raw/1.txt" for fact in reading.facts)
