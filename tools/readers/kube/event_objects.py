"""Events as API objects (`v1` and `events.k8s.io/v1`) and as flat records of monitoring tools."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.kinds import entity_of
from firstfault.tools.readers.kube.stamping import field_stamp, is_later
from firstfault.tools.readers.located import Node, line_map
from firstfault.tools.readings import KubeEvent
from firstfault.tools.times import Stamp

_LAST = (
    ("series", "lastObservedTime"), ("lastTimestamp",), ("last_time",), ("last_timestamp",), ("deprecatedLastTimestamp",),
    ("eventTime",), ("event_time",), ("metadata", "creationTimestamp"), ("timestamp",),
)  # fmt: skip
_FIRST = (
    ("firstTimestamp",),
    ("first_time",),
    ("first_timestamp",),
    ("deprecatedFirstTimestamp",),
    ("eventTime",),
    ("event_time",),
)
_COUNT = (("series", "count"), ("count",), ("deprecatedCount",))
_COMPONENT = (
    ("source", "component"),
    ("reportingController",),
    ("reportingComponent",),
    ("deprecatedSource", "component"),
    ("source",),
    ("component",),
)


def event_of(node: Node, document: Document, context: ReadContext) -> KubeEvent | None:
    """Return the event that `node` holds, or None when it is later than what may be seen."""
    last = _stamp(node, _LAST, document, context)
    if is_later(last, context):
        return None
    involved = next(
        (child for key in ("involvedObject", "regarding") if (child := node.child(key)) is not None), None
    )
    entity, field_path = None, None
    if involved is not None and involved.keys is not None:
        namespace = involved.text("namespace") or node.text("metadata", "namespace") or None
        entity = entity_of(
            involved.text("kind"), involved.text("name"), namespace, node.text("source", "host") or None
        )
        field_path = involved.text("fieldPath") or None
    else:
        flat = node.text("involved_object") or node.text("object") or node.text("involvedObject")
        kind, slash, name = flat.partition("/")
        entity = entity_of(kind, name, node.text("namespace") or None) if slash else None
    lines = line_map(node).values()
    count = next((int(text) for path in _COUNT if (text := node.text(*path)).isdigit()), 1)
    return KubeEvent(
        reason=node.text("reason"),
        message=node.text("message") or node.text("note"),
        document=document,
        line=min(lines),
        line_end=max(lines),
        type=node.text("type") or "Normal",
        involved=entity,
        field_path=field_path,
        component=next((text for path in _COMPONENT if (text := node.text(*path))), None),
        count=count,
        first=_stamp(node, _FIRST, document, context),
        last=last,
    )


def _stamp(
    node: Node, paths: tuple[tuple[str, ...], ...], document: Document, context: ReadContext
) -> Stamp | None:
    for path in paths:
        child = node.child(*path)
        if child is not None and child.value:
            stamp = field_stamp(str(child.value), document, child.line, context)
            if stamp is not None:
                return stamp
    return None
