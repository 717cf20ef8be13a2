"""Names of Kubernetes kinds: as `kubectl` abbreviates them, as objects name them, as firstfault's entities."""

from firstfault.tools.entities import EntityKind, EntityRef

_KINDS = {
    "Pod": "po pods",
    "Node": "no nodes",
    "Namespace": "ns namespaces",
    "Deployment": "deploy deployments",
    "ReplicaSet": "rs replicasets",
    "StatefulSet": "sts statefulsets",
    "DaemonSet": "ds daemonsets",
    "Job": "jobs",
    "CronJob": "cj cronjobs",
    "Service": "svc services",
    "Endpoints": "ep endpoint",
    "EndpointSlice": "endpointslices",
    "Ingress": "ing ingresses",
    "NetworkPolicy": "netpol networkpolicies",
    "ConfigMap": "cm configmaps",
    "Secret": "secrets",
    "ServiceAccount": "sa serviceaccounts",
    "PersistentVolumeClaim": "pvc persistentvolumeclaims",
    "PersistentVolume": "pv persistentvolumes",
    "StorageClass": "sc storageclasses",
    "VolumeAttachment": "volumeattachments",
    "PodDisruptionBudget": "pdb poddisruptionbudgets",
    "ResourceQuota": "quota resourcequotas",
    "LimitRange": "limits limitranges",
    "HorizontalPodAutoscaler": "hpa horizontalpodautoscalers",
    "PriorityClass": "pc priorityclasses",
    "Event": "ev events",
    "Lease": "leases",
    "CertificateSigningRequest": "csr certificatesigningrequests",
    "ValidatingWebhookConfiguration": "validatingwebhookconfigurations",
    "MutatingWebhookConfiguration": "mutatingwebhookconfigurations",
    "APIService": "apiservices",
    "CustomResourceDefinition": "crd crds customresourcedefinitions",
    "CSIDriver": "csidrivers",
    "CSINode": "csinodes",
    "RuntimeClass": "runtimeclasses",
    "ResourceSlice": "resourceslices",
    "ResourceClaim": "resourceclaims",
    "DeviceClass": "deviceclasses",
    "Certificate": "cert certs certificates",
    "ClusterPolicy": "clusterpolicies",
    "NodeFeature": "nodefeatures",
    "NodePool": "nodepools",
    "NodeClaim": "nodeclaims",
    "EC2NodeClass": "ec2nc ec2nodeclasses",
    "PodGroup": "pg podgroups",
    "Queue": "q queues",
    "ClusterQueue": "cq clusterqueues",
    "LocalQueue": "lq localqueues",
    "Workload": "wl workloads",
    "RayCluster": "rayclusters",
    "RayJob": "rayjobs",
    "PyTorchJob": "pytorchjobs",
    "MPIJob": "mpijobs",
    "TrainJob": "trainjobs",
    "JobSet": "jobsets",
    "ComputeDomain": "computedomains",
    "Application": "app apps applications",
    "Kustomization": "ks kustomizations",
    "HelmRelease": "hr helmreleases",
}

_OF_WORD = {word: kind for kind, words in _KINDS.items() for word in (*words.split(), kind.lower())}

CLUSTER_SCOPED = frozenset(
    {
        "Node", "Namespace", "PersistentVolume", "StorageClass", "PriorityClass", "ClusterPolicy", "VolumeAttachment",
        "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "CustomResourceDefinition", "APIService",
        "CSIDriver", "CSINode", "RuntimeClass", "ResourceSlice", "DeviceClass", "NodePool", "NodeClaim", "EC2NodeClass",
        "ClusterQueue", "CertificateSigningRequest", "Queue",
    }
)  # fmt: skip

_ENTITY = {
    "Pod": EntityKind.POD,
    "Node": EntityKind.NODE,
    "Namespace": EntityKind.NAMESPACE,
    "Job": EntityKind.JOB,
    "Service": EntityKind.SERVICE,
    "PersistentVolumeClaim": EntityKind.VOLUME,
    "PersistentVolume": EntityKind.VOLUME,
    "PodDisruptionBudget": EntityKind.PDB,
    "ResourceQuota": EntityKind.QUOTA,
    "ValidatingWebhookConfiguration": EntityKind.WEBHOOK,
    "MutatingWebhookConfiguration": EntityKind.WEBHOOK,
    "ConfigMap": EntityKind.CONFIG,
    "Secret": EntityKind.CONFIG,
    "StorageClass": EntityKind.CONFIG,
    "ClusterPolicy": EntityKind.CONFIG,
    "Certificate": EntityKind.CERTIFICATE,
    "Queue": EntityKind.QUEUE,
    "ClusterQueue": EntityKind.QUEUE,
    "LocalQueue": EntityKind.QUEUE,
    "Deployment": EntityKind.WORKLOAD,
    "ReplicaSet": EntityKind.WORKLOAD,
    "StatefulSet": EntityKind.WORKLOAD,
    "DaemonSet": EntityKind.WORKLOAD,
    "CronJob": EntityKind.WORKLOAD,
    "PodGroup": EntityKind.WORKLOAD,
    "Workload": EntityKind.WORKLOAD,
    "RayCluster": EntityKind.WORKLOAD,
    "RayJob": EntityKind.JOB,
    "PyTorchJob": EntityKind.JOB,
    "MPIJob": EntityKind.JOB,
    "TrainJob": EntityKind.JOB,
    "JobSet": EntityKind.JOB,
    "Application": EntityKind.CONTROLLER,
    "Kustomization": EntityKind.CONTROLLER,
    "HelmRelease": EntityKind.CONTROLLER,
}


def kind_of_word(word: str) -> str | None:
    """Return the kind that `word` names (`po`, `pods`, `pod`, `Pod`, `jobs.batch`), or None when it names none."""
    return _OF_WORD.get(word.strip().lower().partition(".")[0])


def entity_of(kind: str, name: str, namespace: str | None = None, node: str | None = None) -> EntityRef:
    """Return the entity for an object; kinds that firstfault has no word for are controllers."""
    full = kind_of_word(kind) or kind
    return EntityRef(
        kind=_ENTITY.get(full, EntityKind.CONTROLLER),
        name=name,
        namespace=None if full in CLUSTER_SCOPED else namespace,
        node=None if full == "Node" else node,
    )
