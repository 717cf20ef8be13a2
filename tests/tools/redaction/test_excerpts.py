import pytest

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.redaction import excerpts as module
from firstfault.tools.redaction import redact
from firstfault.tools.redaction.excerpts import excerpts_of
from tests.tools.redaction.samples import B64, dashes

KEY = f"{dashes('BEGIN RSA PRIVATE KEY')}\n{B64[:64]}\n{B64[64:128]}\n{dashes('END RSA PRIVATE KEY')}"


def document(text: str) -> Document:
    return Document(path="a", kind=Kind.PLAIN, body=MemoryBody(text.encode()), source="test", query="a")


def test_a_line_of_a_key_is_not_shown_though_it_looks_like_nothing_by_itself() -> None:
    log = document(f"first\n{KEY}\nlast\n")
    excerpts = excerpts_of([log], redact)
    assert redact(B64[:64]) == B64[:64]
    assert excerpts.shown(log.cite(3)) == "‹redacted:private-key›"
    assert excerpts.shown(log.cite(1, 6)).count("‹redacted:private-key›") == 2
    assert excerpts.shown(log.cite(1)) == "first"
    assert excerpts.shown(log.cite(6)) == "last"


def test_a_name_that_was_cut_from_a_key_is_not_shown_either() -> None:
    excerpts = excerpts_of([document(f"{KEY}\n")], redact)
    assert excerpts.text(f"change {B64[:64]} was made") == "change ‹redacted:private-key› was made"


def test_documents_too_large_to_look_through_show_no_line_of_nothing_but_base64(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = document(f"first\n{KEY}\nlast\n")
    monkeypatch.setattr(module, "LOOKED_THROUGH_BYTES", 10)
    excerpts = excerpts_of([log], redact)
    assert excerpts.shown(log.cite(3)) == "‹redacted:private-key›"
    assert excerpts.shown(log.cite(1)) == "first"


def test_escaped_json_is_read_as_what_it_stands_for() -> None:
    for text in (
        '{"m": "{\\"password\\":\\"hunter2!\\"}"}',
        '{"m": "{\\"x\\":\\"{\\\\\\"password\\\\\\":\\\\\\"hunter2!\\\\\\"}\\"}"}',
        '"env: TOKEN=abc\\nDB_PASSWORD=hunter2!\\nend"',
    ):
        found = redact(text)
        assert "hunter2!" not in found
        assert redact(found) == found
