"""Reads histories of changes: version control, packages, releases, plans, and what teams write down."""

from firstfault.tools.readers.history.reading import changes_reading

__all__ = ["changes_reading"]
