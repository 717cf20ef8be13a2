from tests.tools.extract.kube.reading import named

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop}
spec:
  containers:
  - name: web
    env:
    - {name: DB_URL, value: "postgres://HOST:5432/shop"}
status: {phase: Running}
"""
SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: orders-db, namespace: shop}
spec: {selector: {app: db}, ports: [{port: 5432}]}
"""


def test_an_address_is_checked_against_the_services_that_there_are() -> None:
    other = SERVICE.replace("orders-db", "cache")
    wrong = POD.replace("HOST", "orders-dbb.shop.svc.cluster.local")
    (found,) = named("kube.env.unknown_service", wrong, SERVICE, other)
    assert "orders-dbb" in found.evidence.excerpt
    right = POD.replace("HOST", "orders-db.shop.svc.cluster.local")
    assert not named("kube.env.unknown_service", right, SERVICE, other)


def test_a_port_that_the_service_does_not_offer() -> None:
    wrong = POD.replace("HOST:5432", "orders-db.shop.svc.cluster.local:3306")
    assert named("kube.env.wrong_port", wrong, SERVICE)
