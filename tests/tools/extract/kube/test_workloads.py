from tests.tools.extract.kube.reading import names

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: WANTED}
status: {replicas: WANTED, readyReplicas: READY, availableReplicas: READY, updatedReplicas: WANTED}
"""


def workload(wanted: int, ready: int) -> set[str]:
    return names(DEPLOYMENT.replace("WANTED", str(wanted)).replace("READY", str(ready)))


def test_a_workload_is_complete_or_short_or_switched_off() -> None:
    assert "kube.workload.complete" in workload(3, 3)
    assert "kube.workload.short" in workload(3, 2)
    assert "kube.workload.scaled_to_zero" in workload(0, 0)
    assert "kube.workload.short" not in workload(3, 3)
