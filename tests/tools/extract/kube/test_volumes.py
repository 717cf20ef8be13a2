from tests.tools.extract.kube.reading import named

CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec:
  storageClassName: CLASS
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 10Gi}}
status: {phase: Pending}
"""
CLASS = """
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: gp3}
provisioner: ebs.csi.aws.com
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: db-0, namespace: shop}
spec:
  containers: [{name: db}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: NAME}}]
status: {phase: Pending}
"""


def test_a_class_that_a_complete_list_lacks() -> None:
    (found,) = named("kube.pvc.storage_class_missing", CLAIM.replace("CLASS", "gp4"), CLASS)
    assert found.entity.name == "data"
    assert "gp4" in found.evidence.excerpt
    assert not named("kube.pvc.storage_class_missing", CLAIM.replace("CLASS", "gp3"), CLASS)


def test_a_claim_that_a_complete_list_lacks() -> None:
    claim = CLAIM.replace("CLASS", "gp3")
    other = claim.replace("name: data", "name: logs")
    assert named("kube.pvc.missing", POD.replace("NAME", "dta"), claim, other)
    assert not named("kube.pvc.missing", POD.replace("NAME", "data"), claim, other)
