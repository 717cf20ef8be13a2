"""Chooses between the shapes in which metrics are pasted."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.json_text import json_values
from firstfault.tools.readers.kube.digests import digest_reading
from firstfault.tools.readers.located import Node
from firstfault.tools.readers.metrics.alerts import alert_facts, is_notification
from firstfault.tools.readers.metrics.answers import answer_reading, is_answer
from firstfault.tools.readers.metrics.exposition import (
    EXPOSITION_SIGN,
    csv_series,
    exposition_reading,
    is_csv,
)
from firstfault.tools.readings import Reading, joined


def metrics_reading(document: Document, context: ReadContext) -> Reading:
    """Return the series and alerts that `document` holds."""
    if document.text.lstrip("\ufeff \t\r\n")[:1] not in {"{", "["}:
        if is_csv(document):
            return Reading(series=tuple(csv_series(document, context)))
        return exposition_reading(document, context) if EXPOSITION_SIGN.search(document.text) else Reading()
    values = list(json_values(document.text))
    problems = tuple(f"`{document.path}`: {value.problem}" for value in values if value.problem)
    return joined((*(_value(value.node, document, context) for value in values), Reading(problems=problems)))


def _value(node: Node, document: Document, context: ReadContext) -> Reading:
    if is_answer(node):
        return answer_reading(node, document, context)
    listed = [element for element in node.elements or [] if is_notification(element)]
    if listed or is_notification(node):
        found = listed or [node]
        return Reading(facts=tuple(fact for alert in found for fact in alert_facts(alert, document, context)))
    return digest_reading(node, document, context) or Reading()
