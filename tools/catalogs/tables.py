"""Reads the tables that ship beside this module.

CatalogueError    a table of the package is not usable: a defect of the release, never of the input
"""

import csv
from collections.abc import Mapping
from fnmatch import fnmatch
from importlib.resources import files
from importlib.resources.abc import Traversable

Row = Mapping[str, str]
"""One line of a table: column name → cell, as written."""


class CatalogueError(Exception):
    """A table of the package is not usable: reinstall firstfault, or correct the row that the message names."""


def folder() -> Traversable:
    """Return the folder that holds the tables."""
    return files("firstfault.tools.catalogs")


def table_names(pattern: str) -> tuple[str, ...]:
    """Return the names of all tables that fit the glob `pattern`, sorted, so that no file system decides an order."""
    return tuple(sorted(entry.name for entry in folder().iterdir() if fnmatch(entry.name, pattern)))


def read_text(name: str) -> str:
    """Return the text of the data file `name`."""
    return (folder() / name).read_text(encoding="utf-8")


def read_table(name: str) -> tuple[Row, ...]:
    """Return the rows of the CSV table `name`; every row has every column of the header.

    Raises CatalogueError when a row has more or fewer cells than the header.
    """
    reader = csv.DictReader(read_text(name).splitlines(keepends=True), strict=True)
    rows: list[Row] = []
    for raw in reader:
        cells = {key: value for key, value in raw.items() if isinstance(value, str)}
        if len(cells) != len(raw):
            msg = f"`{name}` line {reader.line_num}: a row does not fit the header"
            raise CatalogueError(msg)
        rows.append(cells)
    return tuple(rows)
