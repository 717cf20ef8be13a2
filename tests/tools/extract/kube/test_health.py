from dataclasses import replace

from firstfault.tools.kinds import Kind
from tests.documents import document
from tests.tools.extract.kube.reading import objects, seen

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 1}
status: {replicas: 1, readyReplicas: READY, availableReplicas: READY, updatedReplicas: 1}
"""
EVENTS = replace(
    document('{"kind":"EventList","apiVersion":"v1","items":[]}', Kind.KUBE_EVENTS, "raw/e.json"),
    complete=True,
)


def health(ready: int, *, with_events: bool) -> set[str]:
    documents = [objects(DEPLOYMENT.replace("READY", str(ready))), *([EVENTS] if with_events else [])]
    return {each.name for each in seen(*documents) if each.name.startswith("kube.health.")}


def test_health_is_seen_only_where_workloads_are_complete_and_events_were_read() -> None:
    assert health(1, with_events=True) == {"kube.health.all_quiet"}
    assert health(1, with_events=False) == set()
    assert health(0, with_events=True) == set()
