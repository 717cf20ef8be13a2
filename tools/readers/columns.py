"""Splits printed tables into cells: by the header's columns, by wide gaps where these do not line up, or by commas."""

import csv
import re
from dataclasses import dataclass

_HEADER_CELL = re.compile(r"\S+(?: \S+)*")
_GAP = re.compile(r"\s{2,}|\t+")
_TAB = 8


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title and the offset at which its cells begin."""

    title: str
    start: int


def columns_of(header: str) -> tuple[Column, ...]:
    """Return the columns of a header line; titles are separated by two spaces or more."""
    return tuple(Column(match[0], match.start()) for match in _HEADER_CELL.finditer(header.expandtabs(_TAB)))


def cells_of(row: str, columns: tuple[Column, ...]) -> dict[str, str]:
    """Return title → cell of one row; an empty cell is absent.

    People's pastes lose alignment: when a cell would be cut, the row is split at gaps of two spaces instead, and at
    single spaces when that is the only way to fill the columns. The last column takes the rest of the line.
    """
    line = row.expandtabs(_TAB).rstrip()
    by_offset = _by_offset(line, columns)
    if by_offset is not None:
        return by_offset
    by_gap = _split(_GAP, line.strip(), len(columns))
    if len(by_gap) == len(columns):
        return dict(zip((column.title for column in columns), by_gap, strict=True))
    by_space = line.split(maxsplit=len(columns) - 1)
    if len(by_space) == len(columns) and len(by_gap) < len(columns):
        return dict(zip((column.title for column in columns), by_space, strict=True))
    return _nearest(line, columns)


def _by_offset(line: str, columns: tuple[Column, ...]) -> dict[str, str] | None:
    cells: dict[str, str] = {}
    for index, column in enumerate(columns):
        is_last = index + 1 == len(columns)
        if 0 < column.start < len(line) and line[column.start - 1] != " ":
            return None
        cell = line[column.start :] if is_last else line[column.start : columns[index + 1].start]
        text = cell.strip()
        if not is_last and _GAP.search(text):
            return None
        if not is_last and text and cell[:1] == " " and index > 0:
            return None
        if text:
            cells[column.title] = text
    return cells


def _split(separator: re.Pattern[str], line: str, most: int) -> list[str]:
    return [part.strip() for part in separator.split(line, maxsplit=most - 1)]


def _nearest(line: str, columns: tuple[Column, ...]) -> dict[str, str]:
    """Give every run of text to the column whose start is nearest, in order."""
    cells: dict[str, str] = {}
    index = 0
    for match in _HEADER_CELL.finditer(line):
        left = range(index, len(columns))
        if not left:
            cells[columns[-1].title] = f"{cells.get(columns[-1].title, '')} {match[0]}".strip()
            continue
        best = min(left, key=lambda at: abs(columns[at].start - match.start()))
        cells[columns[best].title] = match[0]
        index = best + 1
    return cells


def csv_line(line: str) -> str:
    """Return a line as the parser of comma-separated values takes it: it stops at a CR inside a line, and at a NUL."""
    return line.rstrip("\r").replace("\r", " ").replace("\x00", "")


def csv_cells(line: str) -> list[str]:
    """Return the cells of one line of comma-separated values."""
    row = next(csv.reader([csv_line(line)], skipinitialspace=True), list[str]())
    return [cell.strip() for cell in row]
