"""A volume that one node holds and a pod on another waits for."""

from tests.tools.extract.kube.reading import named, names

ATTACHED = """
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {name: csi-1}
spec: {nodeName: n1, attacher: ebs.csi.aws.com, source: {persistentVolumeName: pv-1}}
status: {attached: true}
"""
CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec: {volumeName: pv-1}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: db-0, namespace: shop}
spec:
  nodeName: NODE
  containers: [{name: db}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
status: {phase: Pending}
"""
HOLDER = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {conditions: [{type: Ready, status: "False"}]}
"""
SIGNAL = "kube.volume.attached_elsewhere"


def test_the_holder_the_pod_and_the_state_of_the_holder() -> None:
    (found,) = named(SIGNAL, ATTACHED, CLAIM, POD.replace("NODE", "n2"), HOLDER)
    told = {key: found.attributes[key] for key in ("volume", "node", "pod", "pod_node", "node_ready")}
    assert told == {"volume": "pv-1", "node": "n1", "pod": "db-0", "pod_node": "n2", "node_ready": False}
    assert len(found.also) == 1


def test_a_pod_on_the_node_that_holds_it_waits_for_nothing() -> None:
    assert SIGNAL not in names(ATTACHED, CLAIM, POD.replace("NODE", "n1"))


def test_a_volume_that_is_detached_is_held_by_nobody() -> None:
    detached = ATTACHED.replace("attached: true", "attached: false")
    assert SIGNAL not in names(detached, CLAIM, POD.replace("NODE", "n2"))


def test_another_claim_another_namespace() -> None:
    elsewhere = CLAIM.replace("shop", "lab")
    assert SIGNAL not in names(ATTACHED, elsewhere, POD.replace("NODE", "n2"))


def test_an_attachment_without_a_source() -> None:
    broken = ATTACHED.replace("source: {persistentVolumeName: pv-1}", "source: pv-1")
    assert SIGNAL not in names(broken, CLAIM, POD.replace("NODE", "n2"))
