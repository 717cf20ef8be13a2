"""Reads one JSON value by its shape, whatever the document is said to hold."""

from collections.abc import Callable

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.jobs.recorder import is_recorder_dump, recorder_facts
from firstfault.tools.readers.json_text import json_values
from firstfault.tools.readers.kube.audit import audit_changes, is_audit
from firstfault.tools.readers.located import Node
from firstfault.tools.readers.metrics.alerts import alert_facts, is_notification
from firstfault.tools.readers.metrics.answers import answer_reading, is_answer
from firstfault.tools.readings import Reading, joined

Fallback = Callable[[Node, Document, ReadContext], Reading]


def starts_json(document: Document) -> bool:
    """Return whether the text begins as JSON does."""
    return document.text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["}


def json_reading(document: Document, context: ReadContext, otherwise: Fallback) -> Reading:
    """Return what the JSON values of `document` hold; `otherwise` reads values of no known shape."""
    values = list(json_values(document.text))
    problems = tuple(f"`{document.path}`: {value.problem}" for value in values if value.problem)
    found = (
        value_reading(value.node, document, context) or otherwise(value.node, document, context)
        for value in values
    )
    return joined((*found, Reading(problems=problems)))


def value_reading(node: Node, document: Document, context: ReadContext) -> Reading | None:
    """Return what a value of a known shape holds, or None when its shape is not known."""
    if is_audit(node):
        return Reading(changes=tuple(audit_changes(node, document, context)))
    if is_answer(node):
        return answer_reading(node, document, context)
    if is_recorder_dump(node):
        return Reading(facts=tuple(recorder_facts(node, document)))
    notified = (
        [node] if is_notification(node) else [item for item in node.elements or [] if is_notification(item)]
    )
    if notified:
        return Reading(facts=tuple(fact for one in notified for fact in alert_facts(one, document, context)))
    return None
