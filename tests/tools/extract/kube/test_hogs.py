"""One pod without a limit that takes most of a node that ran short of memory."""

from tests.tools.extract.kube.reading import named, names

NODE = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  allocatable: {memory: 10Gi}
  conditions: [{type: MemoryPressure, status: "SHORT"}]
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: lab}
spec:
  nodeName: n1
  containers: [{name: main, resources: RESOURCES}]
status: {phase: Running}
"""
SIGNAL = "kube.node.memory_hog"
SHORT = NODE.replace("SHORT", "True")


def _pod(name: str, resources: str) -> str:
    return POD.replace("NAME", name).replace("RESOURCES", resources)


LARGE = _pod("large", "{requests: {memory: 6Gi}}")
SMALL = _pod("small", "{requests: {memory: 1Gi}}")


def test_the_largest_taker_is_named_with_its_share() -> None:
    (found,) = named(SIGNAL, SHORT, SMALL, LARGE)
    assert (found.attributes["pod"], found.attributes["node"]) == ("large", "n1")
    assert found.attributes["share_percent"] == 60


def test_a_node_that_was_not_short_has_no_hog() -> None:
    assert SIGNAL not in names(NODE.replace("SHORT", "False"), SMALL, LARGE)


def test_a_pod_with_a_limit_keeps_to_it() -> None:
    limited = _pod("large", "{requests: {memory: 6Gi}, limits: {memory: 6Gi}}")
    assert SIGNAL not in names(SHORT, SMALL, limited)


def test_many_small_ones_are_no_hog() -> None:
    assert SIGNAL not in names(SHORT, SMALL, _pod("other", "{requests: {memory: 2Gi}}"))


def test_amounts_that_are_none() -> None:
    assert SIGNAL not in names(SHORT.replace("10Gi", "plenty"), LARGE)
    assert SIGNAL not in names(SHORT, _pod("large", "{requests: {memory: lots}}"), SMALL)
