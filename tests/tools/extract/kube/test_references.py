from tests.tools.extract.kube.reading import named, names

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop}
spec:
  containers:
  - name: web
    env:
    - name: PASSWORD
      valueFrom:
        secretKeyRef: {name: database, key: KEY}
status: {phase: Pending}
"""
LISTED = """
apiVersion: v1
kind: Secret
metadata: {name: NAME, namespace: shop}
data: {password: eA==}
"""


def test_a_reference_that_is_there_gives_nothing() -> None:
    found = names(POD.replace("KEY", "password"), LISTED.replace("NAME", "database"))
    assert not {each for each in found if each.startswith("kube.reference.")}


def test_a_secret_that_a_complete_list_lacks_is_missing() -> None:
    others = [LISTED.replace("NAME", name) for name in ("other", "third")]
    (found,) = named("kube.reference.missing", POD, *others)
    assert (found.attributes["kind"], found.attributes["missing"]) == ("Secret", "database")
    assert "database" in found.evidence.excerpt


def test_without_a_list_of_secrets_nobody_knows() -> None:
    assert not named("kube.reference.missing", POD)
    assert not named("kube.reference.missing", POD, LISTED.replace("NAME", "other"))


def test_a_key_that_the_secret_lacks() -> None:
    (found,) = named(
        "kube.reference.key_missing", POD.replace("KEY", "pass"), LISTED.replace("NAME", "database")
    )
    assert found.attributes["key"] == "pass"


def test_an_optional_reference_may_be_missing() -> None:
    optional = POD.replace("key: KEY", "key: KEY, optional: true")
    others = [LISTED.replace("NAME", name) for name in ("other", "third")]
    assert not named("kube.reference.missing", optional, *others)
