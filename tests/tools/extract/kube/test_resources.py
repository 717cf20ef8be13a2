from tests.tools.extract.kube.reading import named

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop}
spec:
  containers:
  - name: web
    ports: [{containerPort: 8080}]
  - name: side
    ports: [{containerPort: PORT}]
status: {phase: Running}
"""


def test_two_containers_of_one_pod_cannot_share_a_port() -> None:
    (found,) = named("kube.pod.port_conflict", POD.replace("PORT", "8080"))
    assert found.attributes["port"] == "8080"
    assert {str(found.attributes["container"]), str(found.attributes["other"])} == {"web", "side"}
    assert not named("kube.pod.port_conflict", POD.replace("PORT", "9090"))
