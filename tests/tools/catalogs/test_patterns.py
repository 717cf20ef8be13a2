import re
from collections.abc import Iterable

import pytest

from firstfault.tools.catalogs import patterns as loader
from firstfault.tools.catalogs.patterns import Pattern, all_patterns
from firstfault.tools.catalogs.tables import CatalogueError, Row
from firstfault.tools.kinds import Family, Kind
from firstfault.tools.scan.words import needed_words

DOTTED = re.compile(r"^[a-z][a-z0-9_]*(?:\.(?:[a-z0-9_]+|[a-z0-9_]*\{\w+\}[a-z0-9_]*))+$")


def ids(patterns: Iterable[Pattern]) -> list[str]:
    return [pattern.id for pattern in patterns]


def test_each_pattern_finds_its_own_example() -> None:
    assert ids(pattern for pattern in all_patterns() if not pattern.regex.search(pattern.example)) == []


def test_no_pattern_finds_its_near_miss() -> None:
    told = [pattern for pattern in all_patterns() if pattern.counter_example]
    assert ids(pattern for pattern in told if pattern.regex.search(pattern.counter_example)) == []


def test_no_pattern_matches_nothing() -> None:
    assert ids(pattern for pattern in all_patterns() if pattern.regex.search("")) == []


def test_signals_have_dotted_names() -> None:
    assert ids(pattern for pattern in all_patterns() if not DOTTED.match(pattern.signal)) == []


def test_signals_take_their_words_from_groups() -> None:
    unnamed = [
        pattern
        for pattern in all_patterns()
        if not set(re.findall(r"\{(\w+)\}", pattern.signal)) <= {*pattern.regex.groupindex, *handled(pattern)}
    ]
    assert ids(unnamed) == []


def handled(pattern: Pattern) -> set[str]:
    return {"xid", "sxid"} if "codes" in pattern.regex.groupindex else set()


def test_entities_are_named_by_groups_that_exist() -> None:
    unnamed = [
        pattern
        for pattern in all_patterns()
        if not {group for _, group in pattern.entity}
        <= {*pattern.regex.groupindex, *(pattern.look_back.groupindex if pattern.look_back else ())}
    ]
    assert ids(unnamed) == []


def test_each_pattern_needs_some_word_so_that_it_can_be_looked_for_fast() -> None:
    assert ids(pattern for pattern in all_patterns() if not needed_words(pattern.regex)) == []


def test_every_row_of_the_first_table_has_a_near_miss() -> None:
    own = [pattern for pattern in all_patterns() if pattern.table == "log_patterns.csv"]
    assert len(own) > 170
    assert [pattern.id for pattern in own if not pattern.counter_example] == []


def test_note_tables_are_for_what_people_write() -> None:
    notes = [pattern for pattern in all_patterns() if pattern.table.startswith("note_")]
    assert all(Kind.KERNEL_LOG not in pattern.applies_to and pattern.applies_to for pattern in notes)


def test_the_printer_of_a_line_decides_its_family_wherever_it_was_copied_to() -> None:
    by_id = {pattern.id: pattern for pattern in all_patterns()}
    assert by_id["soft_lockup"].family is Family.KERNEL
    assert by_id["fm_fatal"].family is Family.FABRIC
    assert by_id["enospc"].family is None


ROW = {
    "id": "one",
    "source_log": "x",
    "pattern": "broken pipe",
    "meaning": "m",
    "signal": "a.b",
    "example": "broken pipe",
}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"pattern": "("}, "row `one`"),
        ({"pattern": "dépôt"}, "row `one`"),
        ({"entity": "spoon:x"}, "row `one`"),
        ({"applies_to": "papyrus"}, "row `one`"),
        ({"signal": ""}, "the column `signal` is empty"),
        ({"example": ""}, "the column `example` is empty"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_by_name(
    change: Row, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CatalogueError, match=told):
        load([{**ROW, **change}], monkeypatch)


def test_an_id_that_is_used_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CatalogueError, match="the id `one` is used twice"):
        load([ROW, ROW], monkeypatch)


def load(rows: list[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    def names(glob: str) -> tuple[str, ...]:
        return ("log_patterns.csv",) if glob.startswith("log_") else ()

    def read(_name: str) -> tuple[Row, ...]:
        return tuple(rows)

    monkeypatch.setattr(loader, "table_names", names)
    monkeypatch.setattr(loader, "read_table", read)
    all_patterns.__wrapped__()
