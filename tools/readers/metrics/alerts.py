"""Alerts as Alertmanager sends and lists them."""

from collections.abc import Iterator

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.stamping import field_stamp, is_later
from firstfault.tools.readers.located import Node
from firstfault.tools.readings import Fact


def is_notification(node: Node) -> bool:
    """Return whether `node` is a webhook notification of Alertmanager or one of the alerts it lists."""
    is_listed = bool(node.list("alerts")) and (
        node.child("groupKey") is not None or node.child("receiver") is not None
    )
    return is_listed or (node.child("labels") is not None and node.child("fingerprint") is not None)


def alert_facts(node: Node, document: Document, context: ReadContext) -> Iterator[Fact]:
    """Yield `alert.state` per alert, with its labels, annotations and start."""
    alerts = node.list("alerts") or [node]
    for alert in alerts:
        labels = {
            key: child.text()
            for key, child in ((alert.child("labels") or alert).keys or {}).items()
            if child.keys is None
        }
        labels |= {
            f"annotation_{key}": child.text()
            for key, child in ((alert.child("annotations") or Node(alert.line)).keys or {}).items()
        }
        started = alert.child("startsAt")
        stamp = field_stamp(started.text(), document, started.line, context) if started is not None else None
        if is_later(stamp, context):
            continue
        labels["name"] = labels.get("alertname", "")
        state = alert.text("status", "state") or alert.text("status") or "firing"
        yield Fact(
            name="alert.state", value=state, document=document, line=alert.line, labels=labels, stamp=stamp
        )
