from tests.tools.extract.kube.reading import named, names

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, labels: {app: web}}
spec:
  containers:
  - name: web
    ports: [{containerPort: 8080}]
status: {phase: Running}
"""
SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  selector: {app: SELECTOR}
  ports:
  - port: 80
    targetPort: TARGET
"""


def service(selector: str = "web", target: str = "8080") -> str:
    return SERVICE.replace("SELECTOR", selector).replace("TARGET", target)


def test_a_service_that_fits_its_pods_gives_nothing() -> None:
    assert not {each for each in names(service(), POD) if each.startswith("kube.service.")}


def test_a_selector_that_misses_the_pods_stands_on_its_key_beside_their_labels() -> None:
    (found,) = named("kube.service.selector_mismatch", service("wep"), POD)
    assert (found.attributes["wanted"], found.attributes["found"]) == ("wep", "web")
    assert found.attributes["spec_against_status"] is True
    assert "wep" in found.evidence.excerpt
    assert any("app: web" in each.excerpt for each in found.also)


def test_a_target_port_that_no_container_declares() -> None:
    (found,) = named("kube.service.port_mismatch", service(target="8443"), POD)
    assert (found.attributes["target"], found.attributes["offered"]) == ("8443", "8080")


def test_a_protocol_that_the_port_does_not_speak() -> None:
    wrong = service().rstrip("\n") + "\n    protocol: UDP\n"
    (found,) = named("kube.service.protocol_mismatch", wrong, POD)
    assert (found.attributes["protocol"], found.attributes["offered"]) == ("UDP", "TCP")
