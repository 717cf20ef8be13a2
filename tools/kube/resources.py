"""The resources that firstfault reads, as the API names them."""

from firstfault.tools.kube.door import Resource

NODES = Resource(plural="nodes", kind="Node")
PODS = Resource(plural="pods", kind="Pod")
NAMESPACES = Resource(plural="namespaces", kind="Namespace")
EVENTS = Resource(plural="events", kind="Event")
CLAIMS = Resource(plural="persistentvolumeclaims", kind="PersistentVolumeClaim")
VOLUMES = Resource(plural="persistentvolumes", kind="PersistentVolume")
BUDGETS = Resource(plural="poddisruptionbudgets", kind="PodDisruptionBudget", group="policy")
QUOTAS = Resource(plural="resourcequotas", kind="ResourceQuota")
LEASES = Resource(plural="leases", kind="Lease", group="coordination.k8s.io")
DEPLOYMENTS = Resource(plural="deployments", kind="Deployment", group="apps")
DAEMON_SETS = Resource(plural="daemonsets", kind="DaemonSet", group="apps")
STATEFUL_SETS = Resource(plural="statefulsets", kind="StatefulSet", group="apps")
REPLICA_SETS = Resource(plural="replicasets", kind="ReplicaSet", group="apps")
REVISIONS = Resource(plural="controllerrevisions", kind="ControllerRevision", group="apps")
JOBS = Resource(plural="jobs", kind="Job", group="batch")
JOB_SETS = Resource(plural="jobsets", kind="JobSet", group="jobset.x-k8s.io", version="v1alpha2")
PYTORCH_JOBS = Resource(plural="pytorchjobs", kind="PyTorchJob", group="kubeflow.org")
MPI_JOBS = Resource(plural="mpijobs", kind="MPIJob", group="kubeflow.org", version="v2beta1")
WORKLOADS = Resource(plural="workloads", kind="Workload", group="kueue.x-k8s.io", version="v1beta1")
LOCAL_QUEUES = Resource(plural="localqueues", kind="LocalQueue", group="kueue.x-k8s.io", version="v1beta1")
APPLICATIONS = Resource(plural="applications", kind="Application", group="argoproj.io", version="v1alpha1")
HELM_RELEASES = Resource(
    plural="helmreleases", kind="HelmRelease", group="helm.toolkit.fluxcd.io", version="v2"
)
