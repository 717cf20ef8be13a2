"""The resources that firstfault reads, as the API names them."""

from firstfault.tools.kube.door import Resource

NODES = Resource(plural="nodes", kind="Node")
PODS = Resource(plural="pods", kind="Pod")
EVENTS = Resource(plural="events", kind="Event")
SERVICES = Resource(plural="services", kind="Service")
SLICES = Resource(plural="endpointslices", kind="EndpointSlice", group="discovery.k8s.io")
CLAIMS = Resource(plural="persistentvolumeclaims", kind="PersistentVolumeClaim")
VOLUMES = Resource(plural="persistentvolumes", kind="PersistentVolume")
CLASSES = Resource(plural="storageclasses", kind="StorageClass", group="storage.k8s.io")
ATTACHMENTS = Resource(plural="volumeattachments", kind="VolumeAttachment", group="storage.k8s.io")
BUDGETS = Resource(plural="poddisruptionbudgets", kind="PodDisruptionBudget", group="policy")
QUOTAS = Resource(plural="resourcequotas", kind="ResourceQuota")
RANGES = Resource(plural="limitranges", kind="LimitRange")
LEASES = Resource(plural="leases", kind="Lease", group="coordination.k8s.io")
VALIDATING = Resource(
    plural="validatingwebhookconfigurations",
    kind="ValidatingWebhookConfiguration",
    group="admissionregistration.k8s.io",
)
MUTATING = Resource(
    plural="mutatingwebhookconfigurations",
    kind="MutatingWebhookConfiguration",
    group="admissionregistration.k8s.io",
)
DEPLOYMENTS = Resource(plural="deployments", kind="Deployment", group="apps")
DAEMON_SETS = Resource(plural="daemonsets", kind="DaemonSet", group="apps")
STATEFUL_SETS = Resource(plural="statefulsets", kind="StatefulSet", group="apps")
REPLICA_SETS = Resource(plural="replicasets", kind="ReplicaSet", group="apps")
REVISIONS = Resource(plural="controllerrevisions", kind="ControllerRevision", group="apps")
JOBS = Resource(plural="jobs", kind="Job", group="batch")
JOB_SETS = Resource(plural="jobsets", kind="JobSet", group="jobset.x-k8s.io", version="v1alpha2")
PYTORCH_JOBS = Resource(plural="pytorchjobs", kind="PyTorchJob", group="kubeflow.org")
MPI_JOBS = Resource(plural="mpijobs", kind="MPIJob", group="kubeflow.org", version="v2beta1")
TRAIN_JOBS = Resource(plural="trainjobs", kind="TrainJob", group="trainer.kubeflow.org", version="v1alpha1")
RAY_JOBS = Resource(plural="rayjobs", kind="RayJob", group="ray.io")
RAY_CLUSTERS = Resource(plural="rayclusters", kind="RayCluster", group="ray.io")
WORKLOADS = Resource(plural="workloads", kind="Workload", group="kueue.x-k8s.io", version="v1beta1")
LOCAL_QUEUES = Resource(plural="localqueues", kind="LocalQueue", group="kueue.x-k8s.io", version="v1beta1")
CLUSTER_QUEUES = Resource(
    plural="clusterqueues", kind="ClusterQueue", group="kueue.x-k8s.io", version="v1beta1"
)
VOLCANO_JOBS = Resource(plural="jobs", kind="Job", group="batch.volcano.sh", version="v1alpha1")
POD_GROUPS = Resource(plural="podgroups", kind="PodGroup", group="scheduling.volcano.sh", version="v1beta1")
VOLCANO_QUEUES = Resource(plural="queues", kind="Queue", group="scheduling.volcano.sh", version="v1beta1")
DEVICE_CLAIMS = Resource(plural="resourceclaims", kind="ResourceClaim", group="resource.k8s.io")
DEVICE_SLICES = Resource(plural="resourceslices", kind="ResourceSlice", group="resource.k8s.io")
GPU_POLICIES = Resource(plural="clusterpolicies", kind="ClusterPolicy", group="nvidia.com")
GPU_DRIVERS = Resource(plural="nvidiadrivers", kind="NVIDIADriver", group="nvidia.com", version="v1alpha1")
COMPUTE_DOMAINS = Resource(
    plural="computedomains", kind="ComputeDomain", group="resource.nvidia.com", version="v1beta1"
)
REBOOTS = Resource(
    plural="rebootnodes", kind="RebootNode", group="janitor.dgxc.nvidia.com", version="v1alpha1"
)
RESETS = Resource(plural="gpuresets", kind="GPUReset", group="janitor.dgxc.nvidia.com", version="v1alpha1")
TERMINATIONS = Resource(
    plural="terminatenodes", kind="TerminateNode", group="janitor.dgxc.nvidia.com", version="v1alpha1"
)
APPLICATIONS = Resource(plural="applications", kind="Application", group="argoproj.io", version="v1alpha1")
HELM_RELEASES = Resource(
    plural="helmreleases", kind="HelmRelease", group="helm.toolkit.fluxcd.io", version="v2"
)
GIT_REPOSITORIES = Resource(plural="gitrepositories", kind="GitRepository", group="source.toolkit.fluxcd.io")
SELF_REMEDIATIONS = Resource(
    plural="selfnoderemediations",
    kind="SelfNodeRemediation",
    group="self-node-remediation.medik8s.io",
    version="v1alpha1",
)
KUSTOMIZATIONS = Resource(plural="kustomizations", kind="Kustomization", group="kustomize.toolkit.fluxcd.io")
