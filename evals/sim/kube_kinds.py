"""What the stand-in serves: kinds with their paths, and the fields by which they may be selected."""

from collections.abc import Iterable
from dataclasses import dataclass

from firstfault.evals.sim.kube_json import Body


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedKind:
    """One kind. fields: what a field selector may name besides `metadata.name` and `metadata.namespace`."""

    plural: str
    kind: str
    group: str = ""
    version: str = "v1"
    is_namespaced: bool = True
    fields: tuple[str, ...] = ()

    @property
    def root(self) -> str:
        """Return the API's root: `/api/v1` or `/apis/group/version`."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    @property
    def key(self) -> tuple[str, str]:
        """Return what tells one kind from another."""
        return (self.group, self.plural)

    @property
    def qualified(self) -> str:
        """Return the name used in messages: `nodes`, `jobs.batch`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


_EVENT_FIELDS = (
    "involvedObject.kind",
    "involvedObject.name",
    "involvedObject.namespace",
    "involvedObject.uid",
    "reason",
    "type",
    "source",
)
BUILT_IN = (
    ServedKind(plural="nodes", kind="Node", is_namespaced=False, fields=("spec.unschedulable",)),
    ServedKind(plural="namespaces", kind="Namespace", is_namespaced=False, fields=("status.phase",)),
    ServedKind(plural="persistentvolumes", kind="PersistentVolume", is_namespaced=False),
    ServedKind(plural="storageclasses", kind="StorageClass", group="storage.k8s.io", is_namespaced=False),
    ServedKind(
        plural="volumeattachments", kind="VolumeAttachment", group="storage.k8s.io", is_namespaced=False
    ),
    ServedKind(
        plural="validatingwebhookconfigurations",
        kind="ValidatingWebhookConfiguration",
        group="admissionregistration.k8s.io",
        is_namespaced=False,
    ),
    ServedKind(
        plural="mutatingwebhookconfigurations",
        kind="MutatingWebhookConfiguration",
        group="admissionregistration.k8s.io",
        is_namespaced=False,
    ),
    ServedKind(plural="services", kind="Service"),
    ServedKind(plural="endpointslices", kind="EndpointSlice", group="discovery.k8s.io"),
    ServedKind(plural="limitranges", kind="LimitRange"),
    ServedKind(plural="pods", kind="Pod", fields=("spec.nodeName", "status.phase", "spec.schedulerName")),
    ServedKind(plural="events", kind="Event", fields=_EVENT_FIELDS),
    ServedKind(plural="persistentvolumeclaims", kind="PersistentVolumeClaim"),
    ServedKind(plural="resourcequotas", kind="ResourceQuota"),
    ServedKind(plural="leases", kind="Lease", group="coordination.k8s.io"),
    ServedKind(plural="deployments", kind="Deployment", group="apps"),
    ServedKind(plural="daemonsets", kind="DaemonSet", group="apps"),
    ServedKind(plural="statefulsets", kind="StatefulSet", group="apps"),
    ServedKind(plural="replicasets", kind="ReplicaSet", group="apps"),
    ServedKind(plural="controllerrevisions", kind="ControllerRevision", group="apps"),
    ServedKind(plural="jobs", kind="Job", group="batch"),
    ServedKind(plural="poddisruptionbudgets", kind="PodDisruptionBudget", group="policy"),
)
"""What every API server serves, as far as firstfault looks at it."""

CUSTOM = (
    ServedKind(plural="kustomizations", kind="Kustomization", group="kustomize.toolkit.fluxcd.io"),
    ServedKind(plural="clusterpolicies", kind="ClusterPolicy", group="nvidia.com", is_namespaced=False),
    ServedKind(plural="jobsets", kind="JobSet", group="jobset.x-k8s.io", version="v1alpha2"),
    ServedKind(plural="pytorchjobs", kind="PyTorchJob", group="kubeflow.org"),
    ServedKind(plural="mpijobs", kind="MPIJob", group="kubeflow.org", version="v2beta1"),
    ServedKind(plural="workloads", kind="Workload", group="kueue.x-k8s.io", version="v1beta1"),
    ServedKind(plural="localqueues", kind="LocalQueue", group="kueue.x-k8s.io", version="v1beta1"),
    ServedKind(plural="applications", kind="Application", group="argoproj.io", version="v1alpha1"),
    ServedKind(plural="gitrepositories", kind="GitRepository", group="source.toolkit.fluxcd.io"),
    ServedKind(plural="helmreleases", kind="HelmRelease", group="helm.toolkit.fluxcd.io", version="v2"),
    ServedKind(
        plural="rebootnodes",
        kind="RebootNode",
        group="janitor.dgxc.nvidia.com",
        version="v1alpha1",
        is_namespaced=False,
    ),
    ServedKind(
        plural="gpuresets",
        kind="GPUReset",
        group="janitor.dgxc.nvidia.com",
        version="v1alpha1",
        is_namespaced=False,
    ),
    ServedKind(
        plural="terminatenodes",
        kind="TerminateNode",
        group="janitor.dgxc.nvidia.com",
        version="v1alpha1",
        is_namespaced=False,
    ),
)
"""Custom resources that a test may have served: nothing of them exists until it says so."""


def group_list(kinds: Iterable[ServedKind]) -> Body:
    """Return what the server says at `/apis`."""
    versions: dict[str, list[str]] = {}
    for kind in kinds:
        if kind.group and kind.version not in versions.setdefault(kind.group, []):
            versions[kind.group].append(kind.version)
    groups = [
        {
            "name": name,
            "versions": [{"groupVersion": f"{name}/{each}", "version": each} for each in held],
            "preferredVersion": {"groupVersion": f"{name}/{held[0]}", "version": held[0]},
        }
        for name, held in versions.items()
    ]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
