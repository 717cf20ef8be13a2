"""What a path says: conventions of log directories and of the bundles that support tools collect."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from firstfault.tools.kinds import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a path says about a file. kind is None when the path says only what the file is about."""

    kind: Kind | None
    reason: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])


_NS, _POD, _CONTAINER = (
    r"(?P<namespace>[a-z0-9][a-z0-9-]*)",
    r"(?P<pod>[a-z0-9][a-z0-9.-]*)",
    r"(?P<container>[a-z0-9][\w.-]*?)",
)
CONVENTIONS: tuple[tuple[str, Kind | None, str], ...] = (
    (
        rf"namespaces/{_NS}/pods/{_POD}/{_CONTAINER}/(?:\S+/)?logs/(?:current|previous\S*)\.log$",
        Kind.CONTAINER_LOG,
        "must-gather keeps container logs there",
    ),
    (rf"namespaces/{_NS}/pods/{_POD}/[^/]+\.ya?ml$", Kind.KUBE_OBJECTS, "must-gather keeps pods there"),
    (rf"namespaces/{_NS}/core/events\.ya?ml$", Kind.KUBE_EVENTS, "must-gather keeps events there"),
    (rf"namespaces/{_NS}/\S+\.ya?ml$", Kind.KUBE_OBJECTS, "must-gather keeps objects there"),
    (
        r"cluster-scoped-resources/core/nodes/(?P<node>[\w.-]+?)\.ya?ml$",
        Kind.KUBE_OBJECTS,
        "must-gather keeps nodes there",
    ),
    (r"cluster-scoped-resources/\S+\.ya?ml$", Kind.KUBE_OBJECTS, "must-gather keeps objects there"),
    (r"host_service_logs/\S*kubelet\S*\.log$", Kind.KUBELET_LOG, "must-gather keeps the kubelet's log there"),
    (r"host_service_logs/\S*cri\S*\.log$", Kind.RUNTIME_LOG, "must-gather keeps the runtime's log there"),
    (r"audit_logs/\S+$", Kind.AUDIT_LOG, "must-gather keeps audit logs there"),
    (
        rf"cluster-resources/pods/logs/{_NS}/{_POD}/{_CONTAINER}(?:-previous)?\.log$",
        Kind.CONTAINER_LOG,
        "support bundles keep container logs there",
    ),
    (rf"cluster-resources/events/{_NS}\.json$", Kind.KUBE_EVENTS, "support bundles keep events there"),
    (r"cluster-resources/\S+\.json$", Kind.KUBE_OBJECTS, "support bundles keep objects there"),
    (
        rf"(?:^|/)pods/{_NS}_{_POD}_[0-9a-f-]{{36}}/{_CONTAINER}/\d+\.log\S*$",
        Kind.CONTAINER_LOG,
        "the kubelet keeps container logs there",
    ),
    (
        rf"(?:^|/)containers/{_POD}_{_NS}_{_CONTAINER}-[0-9a-f]{{64}}\.log$",
        Kind.CONTAINER_LOG,
        "the kubelet links container logs there",
    ),
    (rf"(?:^|/){_NS}/{_POD}/logs\.txt$", Kind.CONTAINER_LOG, "`kubectl cluster-info dump` keeps logs there"),
    (rf"(?:^|/){_NS}/events\.json$", Kind.KUBE_EVENTS, "`kubectl cluster-info dump` keeps events there"),
    (
        r"sosreport-(?P<node>[\w.]+?)-\S*/sos_commands/kernel/dmesg\S*$",
        Kind.KERNEL_LOG,
        "sosreport keeps the kernel log there",
    ),
    (
        r"sosreport-(?P<node>[\w.]+?)-\S*/sos_commands/logs/journalctl\S*$",
        Kind.JOURNAL,
        "sosreport keeps the journal there",
    ),
    (
        r"sosreport-(?P<node>[\w.]+?)-\S*/sos_commands/\S+$",
        Kind.HOST_TOOL,
        "sosreport keeps the output of tools there",
    ),
    (r"sosreport-(?P<node>[\w.]+?)-\S*/var/log/\S+$", Kind.SYSLOG, "sosreport keeps logs there"),
    (r"nvidia-bug-report\S*\.log\S*$", Kind.HOST_TOOL, "nvidia-bug-report.sh writes such files"),
)
_NAMES: tuple[tuple[str, Kind], ...] = (
    (r"dmesg|kern(?:el)?[._-]?(?:log|\d|boot|node)|^kern\b|kmsg|crash-store", Kind.KERNEL_LOG),
    (r"kubelet", Kind.KUBELET_LOG),
    (r"containerd|crio|dockerd|runtime", Kind.RUNTIME_LOG),
    (r"fabric-?manager|^fm\b", Kind.FABRIC_MANAGER_LOG),
    (r"journal", Kind.JOURNAL),
    (r"syslog|messages", Kind.SYSLOG),
    (r"audit", Kind.AUDIT_LOG),
    (r"events?\b", Kind.KUBE_EVENTS),
    (r"describe", Kind.KUBECTL_DESCRIBE),
    (r"nvidia-smi|dcgmi", Kind.NVIDIA_SMI),
    (r"ibstat|ibv_|iblink|perfquery|ethtool", Kind.IBSTAT),
    (r"changes?|history|rollout|git\b", Kind.CHANGE_LOG),
    (r"sacct|squeue|scontrol", Kind.JOB_STATUS),
    (r"topolog", Kind.TOPOLOGY),
    (r"notes?\b|timeline|slack|comments?\b", Kind.OPERATOR_NOTES),
    (r"train|nccl|rank|worker|torch|app(?:lication)?\b|^job\b", Kind.APPLICATION_LOG),
    (r"^(?:pod|container|init)?-?logs?\b|container|\.log(?:\.\d+)?$", Kind.CONTAINER_LOG),
)
_COMPILED = tuple((re.compile(pattern), kind, reason) for pattern, kind, reason in CONVENTIONS)
_COMPILED_NAMES = tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in _NAMES)
_RANK = re.compile(r"(?:^|[/_.-])rank[_-]?(?P<rank>\d{1,6})(?=[_.-]|$)", re.IGNORECASE)
_NODE_IN_NAME = re.compile(
    r"(?:^|/)(?:dmesg|kernel|kern|journal|syslog|nccl|kubelet|nvidia-smi|ibstat|fabricmanager|lspci|df|pip)[_-](?P<node>[a-z][a-z0-9]*[a-z0-9-]*\d[a-z0-9-]*)\.\w+$"
)
_NODE_FOLDER = re.compile(r"(?:^|/)(?:nodes?|hosts?)/(?P<node>[A-Za-z0-9][\w.-]*)/")


def place_of(path: str) -> Place | None:
    """Return what the conventions of bundles and log directories say about `path`, or None."""
    for pattern, kind, reason in _COMPILED:
        match = pattern.search(path)
        if match is not None:
            return Place(
                kind=kind,
                reason=reason,
                labels={key: value for key, value in match.groupdict().items() if value},
            )
    return None


def kind_of_name(path: str) -> Kind | None:
    """Return the kind that the file's name speaks for, or None."""
    name = path.rpartition("/")[2]
    return next((kind for pattern, kind in _COMPILED_NAMES if pattern.search(name)), None)


def labels_of_path(path: str) -> dict[str, str]:
    """Return the node and rank that folder and file names say."""
    labels: dict[str, str] = {}
    for pattern in (_RANK, _NODE_FOLDER, _NODE_IN_NAME):
        match = pattern.search(path)
        if match is not None:
            labels |= {key: value for key, value in match.groupdict().items() if value and key not in labels}
    if "rank" in labels:
        labels["rank"] = str(int(labels["rank"]))  # what a rank says of itself has no leading zeros
    return labels
