"""Chooses between the shapes in which metrics are pasted."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.json_shapes import json_reading, starts_json
from firstfault.tools.readers.kube.digests import digest_reading
from firstfault.tools.readers.kube.objects import reading_of_nodes
from firstfault.tools.readers.located import Node
from firstfault.tools.readers.metrics.exposition import (
    EXPOSITION_SIGN,
    csv_series,
    exposition_reading,
    is_csv,
)
from firstfault.tools.readings import Reading


def metrics_reading(document: Document, context: ReadContext) -> Reading:
    """Return the series and alerts that `document` holds."""
    if starts_json(document):
        return json_reading(document, context, _otherwise)
    if is_csv(document):
        return Reading(series=tuple(csv_series(document, context)))
    return exposition_reading(document, context) if EXPOSITION_SIGN.search(document.text) else Reading()


def _otherwise(node: Node, document: Document, context: ReadContext) -> Reading:
    if node.text("kind") or node.list("items"):
        return reading_of_nodes([node], document, context)
    return digest_reading(node, document, context) or Reading()
