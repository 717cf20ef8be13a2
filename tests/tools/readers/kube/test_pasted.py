"""Manifests among other output."""

import pytest

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import KubeObject
from tests.documents import document

TABLE = """$ kubectl get svc -n web
NAME    TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
front   ClusterIP   10.0.0.7     <none>        80/TCP    3d
"""
SERVICE = """apiVersion: v1
kind: Service
metadata:
  name: front
  namespace: web
spec:
  selector:
    app: front
"""
POD = """{
  "apiVersion": "v1",
  "kind": "Pod",
  "metadata": {"name": "p-1", "namespace": "web"}
}
"""
NOTE = f"""We compared both sides:

```yaml
{SERVICE}```

Nothing else was changed.
"""


def manifests(text: str, kind: Kind = Kind.KUBECTL_GET) -> list[KubeObject]:
    """Return the objects that were read from manifests, not from rows."""
    return [item for item in read(document(text, kind), NO_CONTEXT).objects if item.api.get("apiVersion")]


def place(item: KubeObject, path: str) -> tuple[str, int]:
    """Return the name and the line of a field."""
    return item.name, item.lines[path]


def test_a_manifest_below_a_table_is_read_with_its_lines() -> None:
    text = f"{TABLE}$ kubectl get svc front -o yaml\n{SERVICE}"
    (found,) = manifests(text)
    assert place(found, "spec.selector.app") == ("front", 12)
    assert text.split("\n")[11] == "    app: front"


def test_several_manifests_and_tables_in_turn() -> None:
    text = f"{TABLE}\n{SERVICE}{SERVICE.replace('front', 'back')}\n{TABLE}\n{POD}{TABLE}"
    assert [place(item, "metadata.name") for item in manifests(text)] == [
        ("front", 8),
        ("back", 16),
        ("p-1", 29),
    ]


def test_a_fenced_manifest_in_a_note_is_read() -> None:
    assert [item.name for item in manifests(NOTE, Kind.OPERATOR_NOTES)] == ["front"]


@pytest.mark.parametrize(
    "text",
    [
        f"{TABLE}apiVersion: v1\nkind: [broken\n",
        f'{TABLE}{{\n  "kind": "Pod\n',
        f"{TABLE}{{\n no json at all\n",
        f"{TABLE}apiVersion: v1",
    ],
)
def test_what_is_broken_does_no_harm(text: str) -> None:
    reading = read(document(text, Kind.KUBECTL_GET), NO_CONTEXT)
    assert "front" in [item.name for item in reading.objects]
