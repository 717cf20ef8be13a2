import pytest

from tests.tools.extract.kube.reading import named, names

NODE = """
apiVersion: v1
kind: Node
metadata: {name: n-1}
spec: {SPEC}
status:
  addresses: [{type: InternalIP, address: 192.0.2.9}]
  conditions:
  - {type: TYPE, status: "STATUS", reason: R, message: m}
"""


def node(kind: str, status: str, spec: str = "") -> str:
    return NODE.replace("SPEC", spec).replace("TYPE", kind).replace("STATUS", status)


@pytest.mark.parametrize(
    ("kind", "status", "name"),
    [
        ("Ready", "True", "kube.node.ready"),
        ("Ready", "False", "kube.node.not_ready"),
        ("Ready", "Unknown", "kube.node.not_ready"),
        ("DiskPressure", "True", "kube.node.disk_pressure"),
        ("MemoryPressure", "True", "kube.node.memory_pressure"),
        ("KernelDeadlock", "True", "kube.node.kernel_deadlock"),
    ],
)
def test_a_condition_is_told_with_its_line(kind: str, status: str, name: str) -> None:
    (found,) = named(name, node(kind, status))
    assert found.entity.name == "n-1"
    assert kind in found.evidence.excerpt


def test_no_pressure_is_no_signal() -> None:
    assert "kube.node.disk_pressure" not in names(node("DiskPressure", "False"))


def test_a_cordon_is_seen() -> None:
    assert named("kube.node.cordoned", node("Ready", "True", "unschedulable: true"))
    assert not named("kube.node.cordoned", node("Ready", "True"))
