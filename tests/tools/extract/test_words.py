"""Statements of people give the words in them that are known; what machines print gives none."""

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Document
from firstfault.tools.extract.words import SPOKEN, known_words, word_signals
from firstfault.tools.kinds import Family, Kind


def _document(text: str, kind: Kind = Kind.OPERATOR_NOTES) -> Document:
    return Document(path="raw/notes.txt", kind=kind, body=MemoryBody(text.encode()), source="test", query="q")


def test_each_statement_is_one_signal_with_its_words_and_its_line() -> None:
    first, second = word_signals([_document("CoreDNS is slow.\n\nThe subnet is full.\n")])
    assert (first.name, first.family) == (SPOKEN, Family.NOTE)
    assert (first.evidence.line_start, second.evidence.line_start) == (1, 3)
    assert first.evidence.excerpt == "CoreDNS is slow."
    assert "core-dns" in str(first.attributes["words"]).split()
    assert "subnet" in str(second.attributes["words"]).split()


def test_a_record_of_a_change_is_a_statement_and_never_a_witness() -> None:
    (only,) = word_signals([_document("2026-01-01 terraform apply, subnet removed", Kind.CHANGE_LOG)])
    assert only.said_by_human


def test_what_a_machine_printed_gives_none() -> None:
    assert not list(word_signals([_document("CoreDNS is slow", Kind.CONTAINER_LOG)]))


def test_unknown_words_and_numbers_give_none() -> None:
    assert known_words("xqzzy 12:00 10.0.0.1") == ()
    assert not list(word_signals([_document("xqzzy 12:00\n\n")]))


def test_an_endless_line_and_an_endless_document_are_cut() -> None:
    assert not list(word_signals([_document("subnet " * 1_000)]))
    assert len(list(word_signals([_document("subnet\n" * 5_000)]))) == 400
