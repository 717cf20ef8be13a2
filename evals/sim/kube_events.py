"""Core events in the words of `events.k8s.io/v1`, as a server converts them: a core event has no eventTime."""

from firstfault.evals.sim.kube_json import Body
from firstfault.evals.sim.kube_kinds import BUILT_IN, ServedKind

CORE_EVENTS = next(kind for kind in BUILT_IN if kind.plural == "events")
NEW_EVENTS = ServedKind(
    plural="events",
    kind="Event",
    group="events.k8s.io",
    fields=("regarding.kind", "regarding.name", "regarding.namespace", "reason", "type"),
)


def core_selector(selector: str) -> str:
    """Return a field selector of the new API in the words of the old one."""
    return selector.replace("regarding.", "involvedObject.")


def in_new_words(listing: Body) -> Body:
    """Return a list of core events as the new API shows it."""
    return {**listing, "apiVersion": "events.k8s.io/v1", "items": [_event(item) for item in listing["items"]]}


def _event(item: Body) -> Body:
    return {
        "metadata": item["metadata"],
        "eventTime": item.get("eventTime"),
        "regarding": item.get("involvedObject", {}),
        "note": item.get("message", ""),
        "reason": item.get("reason", ""),
        "type": item.get("type", ""),
        "deprecatedSource": item.get("source", {}),
        "deprecatedFirstTimestamp": item.get("firstTimestamp"),
        "deprecatedLastTimestamp": item.get("lastTimestamp"),
        "deprecatedCount": item.get("count"),
    }
