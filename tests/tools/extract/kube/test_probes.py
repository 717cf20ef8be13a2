from tests.tools.extract.kube.reading import named

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop}
spec:
  containers:
  - name: web
    ports: [{containerPort: 8080, name: http}]
    readinessProbe:
      httpGet: {path: /ready, port: PORT}
status: {phase: Running}
"""


def test_a_probe_of_a_declared_port_gives_nothing_by_number_and_by_name() -> None:
    assert not named("kube.probe.port_mismatch", POD.replace("PORT", "8080"))
    assert not named("kube.probe.port_mismatch", POD.replace("PORT", "http"))


def test_a_probe_of_another_port_stands_on_the_probe() -> None:
    (found,) = named("kube.probe.port_mismatch", POD.replace("PORT", "8081"))
    assert (found.attributes["port"], found.attributes["probe"]) == ("8081", "readiness")
    assert "8081" in found.evidence.excerpt
