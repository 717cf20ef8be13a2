"""Names the shape of a JSON value."""

from collections.abc import Callable

from firstfault.tools.kinds import Kind
from firstfault.tools.readers.jobs.recorder import is_recorder_dump
from firstfault.tools.readers.kube.audit import is_audit
from firstfault.tools.readers.kube.kinds import kind_of_word
from firstfault.tools.readers.located import Node
from firstfault.tools.readers.metrics.alerts import is_notification
from firstfault.tools.readers.metrics.answers import is_answer
from firstfault.tools.readers.people.chats import is_chat

_EVENT_LISTS = ("warning_events", "events")
_LOG_LISTS = ("logs", "log_lines", "entries")


def shape_of(node: Node) -> tuple[Kind, str]:
    """Return the kind that a JSON value speaks for and why; PLAIN when its shape is not known."""
    for test, kind, reason in _TESTS:
        if test(node):
            return kind, reason
    return Kind.PLAIN, "JSON of a shape that is not known"


def _items(node: Node) -> list[Node]:
    return node.elements if node.elements is not None else node.list("items")


def _is_event(node: Node) -> bool:
    return node.text("kind") in {"Event", "EventList"} and not is_audit(node)


def _is_events(node: Node) -> bool:
    items = _items(node)
    if _is_event(node) or (bool(items) and all(_is_event(item) for item in items)):
        return True
    return any(node.child(key) is not None for key in _EVENT_LISTS) and node.child("kind") is None


def _is_object(node: Node) -> bool:
    watched = node.child("object")
    if watched is not None and watched.text("kind") and node.child("type") is not None:
        return True
    if node.text("kind") and (node.child("apiVersion") is not None or node.child("metadata") is not None):
        return True
    return any(item.text("kind") and item.child("metadata") is not None for item in _items(node))


def _is_digest(node: Node) -> bool:
    for key, child in (node.keys or {}).items():
        records = [record for record in child.elements or [] if record.keys is not None]
        if kind_of_word(key) and records and all(record.text("name") for record in records):
            return True
    return False


def _is_collected_log(node: Node) -> bool:
    for key in _LOG_LISTS:
        records = node.list(key)
        if records and all(
            record.child("message") is not None or record.child("msg") is not None for record in records
        ):
            return True
    return False


def _has_alerts(node: Node) -> bool:
    return is_answer(node) and (
        node.child("data", "alerts") is not None or node.child("data", "groups") is not None
    )


def _is_log_answer(node: Node) -> bool:
    return node.text("data", "resultType") == "streams"


def _is_alert_list(node: Node) -> bool:
    return is_notification(node) or any(is_notification(item) for item in node.elements or [])


_TESTS: tuple[tuple[Callable[[Node], bool], Kind, str], ...] = (
    (is_audit, Kind.AUDIT_LOG, "audit records of the API server"),
    (lambda node: node.child("__REALTIME_TIMESTAMP") is not None, Kind.JOURNAL, "records of the journal"),
    (lambda node: node.text("kind") == "Table", Kind.KUBECTL_GET, "a table of the API server"),
    (_is_events, Kind.KUBE_EVENTS, "events of the API"),
    (_is_object, Kind.KUBE_OBJECTS, "objects of the API"),
    (_is_log_answer, Kind.CONTAINER_LOG, "an answer of a log store"),
    (_has_alerts, Kind.ALERTS, "alerts of the metrics server"),
    (is_answer, Kind.PROMETHEUS_RESPONSE, "an answer of the metrics server"),
    (_is_alert_list, Kind.ALERTS, "alerts of Alertmanager"),
    (lambda node: bool(node.list("monitors")), Kind.PROMETHEUS_RESPONSE, "the state of monitors"),
    (is_recorder_dump, Kind.FLIGHT_RECORDER, "a dump of the flight recorder"),
    (is_chat, Kind.OPERATOR_NOTES, "messages of a chat"),
    (_is_collected_log, Kind.APPLICATION_LOG, "collected log records"),
    (_is_digest, Kind.KUBE_OBJECTS, "short forms of objects"),
)
