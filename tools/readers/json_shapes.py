"""Reads one JSON value by its shape, whatever the document is said to hold."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.readers.jobs.recorder import is_recorder_dump, recorder_facts
from firstfault.tools.readers.json_text import json_values
from firstfault.tools.readers.kube.audit import audit_changes, is_audit
from firstfault.tools.readers.kube.digests import digest_reading
from firstfault.tools.readers.kube.lists import large_list_reading
from firstfault.tools.readers.kube.objects import reading_of_nodes
from firstfault.tools.readers.located import Node
from firstfault.tools.readers.metrics.alerts import alert_facts, is_notification
from firstfault.tools.readers.metrics.answers import answer_reading, is_answer
from firstfault.tools.readings import Reading, joined

_OBJECT_KINDS = frozenset(
    {Kind.KUBE_OBJECTS, Kind.KUBECTL_GET, Kind.KUBECTL_DESCRIBE, Kind.KUBE_EVENTS, Kind.TOPOLOGY}
)
"""Kinds in which a value of no known shape is a piece of an object."""


def starts_json(document: Document) -> bool:
    """Return whether the text begins as JSON does."""
    return document.text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["}


def json_reading(document: Document, context: ReadContext) -> Reading:
    """Return what the JSON values of `document` hold, each read by its shape."""
    large = large_list_reading(document, context)
    if large is not None:
        return large
    values = list(json_values(document.text))
    problems = tuple(f"`{document.path}`: {value.problem}" for value in values if value.problem)
    return joined(
        (*(_reading(value.node, document, context) for value in values), Reading(problems=problems))
    )


def _reading(node: Node, document: Document, context: ReadContext) -> Reading:
    known = value_reading(node, document, context)
    if known is not None:
        return known
    if document.kind in _OBJECT_KINDS or node.text("kind") or node.list("items"):
        return reading_of_nodes([node], document, context)
    return digest_reading(node, document, context) or Reading()


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
