import pytest

from firstfault.tools.catalogs import tables
from firstfault.tools.catalogs.tables import CatalogueError, read_table, table_names


def test_names_are_sorted_whatever_the_file_system_says() -> None:
    names = table_names("*.csv")
    assert "log_patterns.csv" in names
    assert list(names) == sorted(names)


def test_cells_are_kept_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, 'id,example\n1,"  two, spaces"\n')
    assert read_table("any.csv") == ({"id": "1", "example": "  two, spaces"},)


@pytest.mark.parametrize("text", ["a,b\n1\n", "a,b\n1,2,3\n"])
def test_a_row_that_does_not_fit_the_header_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, text)
    with pytest.raises(CatalogueError, match=r"`any\.csv` line 2"):
        read_table("any.csv")


def pretend(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    def read_text(_name: str) -> str:
        return text

    monkeypatch.setattr(tables, "read_text", read_text)
