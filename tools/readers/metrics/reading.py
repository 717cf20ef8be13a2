"""Chooses between the texts in which metrics are pasted."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.metrics.exposition import (
    EXPOSITION_SIGN,
    csv_series,
    exposition_reading,
    is_csv,
)
from firstfault.tools.readings import Reading


def metrics_reading(document: Document, context: ReadContext) -> Reading:
    """Return the series of a text that is no JSON: exposition format, or a table."""
    if is_csv(document):
        return Reading(series=tuple(csv_series(document, context)))
    return exposition_reading(document, context) if EXPOSITION_SIGN.search(document.text) else Reading()
