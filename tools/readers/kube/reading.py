"""Chooses between the shapes in which Kubernetes state is pasted."""

import re

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.marked import marked_lines
from firstfault.tools.readers.json_text import parse_json
from firstfault.tools.readers.kube.audit import audit_changes, is_audit
from firstfault.tools.readers.kube.describe import describe_reading
from firstfault.tools.readers.kube.event_cells import logged_line
from firstfault.tools.readers.kube.event_lines import bare_events, kube_event
from firstfault.tools.readers.kube.objects import kube_object, reading_of_nodes
from firstfault.tools.readers.kube.pasted import pasted_reading
from firstfault.tools.readers.kube.tables import is_header, table_reading
from firstfault.tools.readers.located import Node
from firstfault.tools.readers.signs import sign
from firstfault.tools.readers.yaml_text import yaml_documents
from firstfault.tools.readings import KubeEvent, KubeObject, Reading, joined

_DESCRIBED = sign(
    r"^(?:Name|Namespace|Events|Containers|Capacity|Allocatable|Conditions|Status|Labels|Taints|Node|Spec):(?:\s|$)"
)
_YAML = sign(r"^(?:---|apiVersion:|kind:|metadata:|spec:|status:|items:|- apiVersion:)")
_EMBEDDED = re.compile(r'\{\s*"(?:kind|apiVersion|metadata)"\s*:\s*[{"]')
_MARKS = ('"kind":', '"kind" :', "ObjectReference{", '"Event occurred"')
_MOST_EMBEDDED = 2000


def kube_reading(document: Document, context: ReadContext) -> Reading:
    """Return the objects, events and facts of a text that Kubernetes printed: tables, YAML, descriptions, lines."""
    if any(is_header(line) for line in document.lines):
        tables = table_reading(document, context)
        rest = describe_reading(document, context) if _DESCRIBED.search(document.text) else Reading()
        return joined((tables, Reading(objects=rest.objects), pasted_reading(document, context)))
    if _is_yaml(document):
        return _yaml_reading(document, context)
    described = describe_reading(document, context)
    if described.objects or described.events:
        return described + pasted_reading(document, context)
    return Reading(events=tuple(bare_events(document, context))) + embedded_reading(document, context)


def _is_yaml(document: Document) -> bool:
    if document.path.endswith((".yaml", ".yml")):
        return True
    return bool(_YAML.search(document.text)) and not re.search(r"^Name:\s", document.text, re.MULTILINE)


def _yaml_reading(document: Document, context: ReadContext) -> Reading:
    parsed = list(yaml_documents(document.text))
    problems = tuple(f"`{document.path}`: {item.problem}" for item in parsed if item.problem)
    nodes = [item.node for item in parsed if item.node is not None]
    reading = reading_of_nodes(nodes, document, context)
    if nodes or not problems:
        return reading + Reading(problems=problems)
    pasted = pasted_reading(document, context)
    if pasted.objects or pasted.events:
        problems = ()
    return joined((describe_reading(document, context), pasted, Reading(problems=problems)))


def embedded_reading(document: Document, context: ReadContext) -> Reading:
    """Return the API objects, events and audit records that stand inside the lines of a log, however large it is."""
    events: list[KubeEvent] = []
    found: list[Reading] = []
    for number, line in marked_lines(document.body, _MARKS):
        event = logged_line(line)
        if event is not None:
            events.append(kube_event(event, document, context, number, document.entity))
        match = _EMBEDDED.search(line) if '"kind"' in line and len(found) < _MOST_EMBEDDED else None
        parsed = parse_json(line, match.start(), number) if match is not None else None
        if parsed is not None:
            found.append(_embedded(parsed.node, document, context))
    return joined((Reading(events=tuple(events)), *found))


def _embedded(node: Node, document: Document, context: ReadContext) -> Reading:
    if is_audit(node):
        return Reading(changes=tuple(audit_changes(node, document, context)))
    if not node.text("kind") or node.child("metadata") is None:
        return Reading()
    if node.text("kind") == "Status":
        status: KubeObject = kube_object(node, "Status", document)
        return Reading(objects=(status,))
    return reading_of_nodes([node], document, context)
