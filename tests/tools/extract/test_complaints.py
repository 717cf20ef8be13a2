"""Lines that complain are a place to begin only where nothing else was recognised."""

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.evidence import Document
from firstfault.tools.extract import extract
from firstfault.tools.extract.complaints import COMPLAINT, LARGEST_BYTES, MOST_LINES
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from tests.documents import document

STRANGE = "started\nERROR flux capacitor misaligned on lane 3, giving up\nbye\n"


def complaining(*documents: Document) -> list[str]:
    """Return `path:line` of the complaints that the documents give."""
    found = extract(documents, [read(each, NO_CONTEXT) for each in documents], NO_CONTEXT)
    return [f"{each.evidence.path}:{each.evidence.line_start}" for each in found if each.name == COMPLAINT]


def test_a_strange_complaint_is_a_place_to_begin() -> None:
    assert complaining(document(STRANGE, Kind.APPLICATION_LOG, "raw/a.log")) == ["raw/a.log:2"]


def test_once_anything_is_recognised_complaints_are_left_out() -> None:
    known = document(
        "[1.100000] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n",
        Kind.KERNEL_LOG,
        "k",
    )
    assert complaining(document(STRANGE, Kind.APPLICATION_LOG, "raw/a.log"), known) == []


def test_a_line_that_denies_is_no_complaint() -> None:
    text = "0 errors found\nfinished without errors\nerrors: 0\n"
    assert complaining(document(text, Kind.APPLICATION_LOG, "raw/a.log")) == []


def test_few_lines_of_small_logs_only() -> None:
    assert len(complaining(document("it failed\n" * 9, Kind.PLAIN, "raw/a.log"))) == MOST_LINES
    assert complaining(document("it failed\n" * (LARGEST_BYTES // 9), Kind.PLAIN, "raw/a.log")) == []


def test_what_people_write_is_not_searched() -> None:
    assert complaining(document("The flux capacitor failed.\n", Kind.OPERATOR_NOTES, "raw/n.txt")) == []
