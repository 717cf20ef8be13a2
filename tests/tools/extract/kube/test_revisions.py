"""The newest revision of a workload fails while an older one runs."""

from tests.tools.extract.kube.reading import named, names

WORKLOAD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 2}
status: {readyReplicas: 1, unavailableReplicas: 1}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: web-HASH-abcde, namespace: shop}
spec: {containers: [{name: web}]}
status: {phase: Running, startTime: "STARTED", conditions: [{type: Ready, status: "READY"}]}
"""
SIGNAL = "kube.rollout.bad_revision"


def _pod(revision: str, started: str, *, ready: bool) -> str:
    return POD.replace("HASH", revision).replace("STARTED", started).replace("READY", str(ready))


OLD = _pod("6b7c8d9f5", "2026-03-01T08:00:00Z", ready=True)
NEW = _pod("7f9dd8b6c4", "2026-03-01T11:00:00Z", ready=False)


def test_the_revision_that_fails_is_named() -> None:
    (found,) = named(SIGNAL, WORKLOAD, OLD, NEW)
    assert found.entity.name == "web"
    assert (found.attributes["revision"], found.attributes["pod"]) == ("7f9dd8b6c4", "web-7f9dd8b6c4-abcde")


def test_an_old_revision_that_fails_is_no_bad_roll_out() -> None:
    old = _pod("6b7c8d9f5", "2026-03-01T08:00:00Z", ready=False)
    new = _pod("7f9dd8b6c4", "2026-03-01T11:00:00Z", ready=True)
    assert SIGNAL not in names(WORKLOAD, old, new)


def test_where_nothing_runs_no_revision_is_worse() -> None:
    assert SIGNAL not in names(WORKLOAD, _pod("6b7c8d9f5", "2026-03-01T08:00:00Z", ready=False), NEW)


def test_pods_of_another_namespace_do_not_count() -> None:
    assert SIGNAL not in names(WORKLOAD, OLD.replace("shop", "lab"), NEW)


def test_pods_without_a_start_and_names_without_a_hash() -> None:
    bare = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nstatus: {phase: Failed}\n"
    assert SIGNAL not in names(WORKLOAD, OLD, bare)
