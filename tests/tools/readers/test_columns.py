"""Cells are found by the header where a table lines up, and by its gaps where people's pastes broke it."""

from firstfault.tools.readers.columns import cells_of, columns_of

HEADER = "NAME          READY   STATUS    RESTARTS     AGE"


def test_aligned_rows_are_cut_at_the_header() -> None:
    cells = cells_of("train-0       0/1     Pending   3 (2m ago)   5m", columns_of(HEADER))
    assert cells == {
        "NAME": "train-0",
        "READY": "0/1",
        "STATUS": "Pending",
        "RESTARTS": "3 (2m ago)",
        "AGE": "5m",
    }


def test_empty_cells_are_absent() -> None:
    header = "NAME   STATUS    VOLUME   CAPACITY   STORAGECLASS   AGE"
    cells = cells_of("pvc    Pending                       standard       12m", columns_of(header))
    assert cells == {"NAME": "pvc", "STATUS": "Pending", "STORAGECLASS": "standard", "AGE": "12m"}


def test_a_row_that_lost_its_alignment_is_split_at_gaps() -> None:
    cells = cells_of("train-0-with-a-long-name  0/1  Pending  3  5m", columns_of(HEADER))
    assert cells == {
        "NAME": "train-0-with-a-long-name",
        "READY": "0/1",
        "STATUS": "Pending",
        "RESTARTS": "3",
        "AGE": "5m",
    }


def test_a_row_with_single_spaces_is_split_at_them() -> None:
    cells = cells_of("train-0-with-a-long-name 0/1 Pending 3 5m", columns_of(HEADER))
    assert cells == {
        "NAME": "train-0-with-a-long-name",
        "READY": "0/1",
        "STATUS": "Pending",
        "RESTARTS": "3",
        "AGE": "5m",
    }


def test_tabs_count_as_columns_of_a_terminal() -> None:
    cells = cells_of("a\tb\tc d", columns_of("ONE\tTWO\tTHREE"))
    assert cells == {"ONE": "a", "TWO": "b", "THREE": "c d"}


def test_titles_may_hold_single_spaces() -> None:
    assert [column.title for column in columns_of("LAST SEEN   TYPE   NOMINATED NODE")] == [
        "LAST SEEN",
        "TYPE",
        "NOMINATED NODE",
    ]
