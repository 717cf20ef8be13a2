"""Short forms of objects that monitoring and triage tools print (`{"pods": [{"name": …, "restart_count": 3}]}`).

They are put into the shape of the API, so that everything after the readers knows one shape only.
"""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.digest_shapes import api_shape
from firstfault.tools.readers.kube.event_objects import event_of
from firstfault.tools.readers.kube.kinds import kind_of_word
from firstfault.tools.readers.located import LazyLines, Node, line_map, plain
from firstfault.tools.readings import Fact, KubeObject, Reading

_EVENT_LISTS = ("warning_events", "events")
_ALERT_LISTS = ("monitors", "alerts")


def digest_reading(node: Node, document: Document, context: ReadContext) -> Reading | None:
    """Return what a digest holds, or None when `node` is none."""
    reading: Reading | None = None
    for key, listed in (node.keys or {}).items():
        if listed.elements is None:
            continue
        found = _list_reading(key, listed, document, context)
        if found is not None:
            reading = found if reading is None else reading + found
    return reading


def _list_reading(key: str, listed: Node, document: Document, context: ReadContext) -> Reading | None:
    records = [record for record in listed.elements or [] if record.keys is not None]
    if key in _EVENT_LISTS:
        events = [
            event_of(record, document, context) for record in records if record.child("reason") is not None
        ]
        return Reading(events=tuple(event for event in events if event is not None))
    if key in _ALERT_LISTS:
        return Reading(facts=tuple(fact for record in records for fact in _alert_facts(record, document)))
    kind = kind_of_word(key)
    if kind is None or not all(record.text("name") for record in records):
        return None
    return Reading(objects=tuple(_object(kind, record, document) for record in records))


def _alert_facts(record: Node, document: Document) -> list[Fact]:
    state = record.child("overall_state") or record.child("state") or record.child("status")
    if state is None or state.value is None:
        return []
    labels = {name: text for name in ("name", "query", "message", "type") if (text := record.text(name))}
    return [
        Fact(name="alert.state", value=str(state.value), document=document, line=state.line, labels=labels)
    ]


def _object(kind: str, record: Node, document: Document) -> KubeObject:
    shape = api_shape(kind, record)
    api = plain(shape)
    return KubeObject(
        kind=kind,
        name=record.text("name"),
        namespace=record.text("namespace") or None,
        document=document,
        api=api if isinstance(api, dict) else {},
        lines=LazyLines(lambda: line_map(shape)),
        partial=True,
    )
