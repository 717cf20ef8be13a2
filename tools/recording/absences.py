"""What a recording says it does not have: free text to kinds, and what each kind would have told."""

from firstfault.tools.evidence import Coverage, CoverageState, Gap
from firstfault.tools.kinds import Kind

WOULD_TELL = {
    Kind.KERNEL_LOG: "what the kernel and the driver saw of devices, bus and memory, and when",
    Kind.CONTAINER_LOG: "what the container itself said before it stopped",
    Kind.KUBELET_LOG: "what the node agent did with the pod, and why",
    Kind.RUNTIME_LOG: "whether containers could be created and what the hooks said",
    Kind.FABRIC_MANAGER_LOG: "whether the NVLink fabric was set up and which links it lost",
    Kind.SYSLOG: "what the services of the host did around the fault",
    Kind.JOURNAL: "what the services of the host did around the fault",
    Kind.APPLICATION_LOG: "what the program and its other ranks said before the fault",
    Kind.KUBECTL_DESCRIBE: "the state, conditions and events of the object",
    Kind.KUBECTL_GET: "which objects exist and in what state they are",
    Kind.KUBE_OBJECTS: "how the objects are configured and what their status says",
    Kind.KUBE_EVENTS: "what the control plane reported about the objects, in order",
    Kind.AUDIT_LOG: "who changed or deleted what, and when",
    Kind.PROMETHEUS_RESPONSE: "how usage and error counters moved before the fault",
    Kind.NVIDIA_SMI: "the state, errors and processes of each GPU",
    Kind.IBSTAT: "the state, rate and error counters of the network ports",
    Kind.CHANGE_LOG: "what was changed before the first fault",
    Kind.JOB_STATUS: "how the scheduler saw the job, its nodes and its end",
    Kind.OPERATOR_NOTES: "what people saw and did",
    Kind.FLIGHT_RECORDER: "which rank was missing in which collective",
    Kind.HOST_TOOL: "the state of the host: its hardware log, disks, memory and settings",
    Kind.TOPOLOGY: "which switch, rack and link the parts share",
    Kind.ALERTS: "which alerts fired, and since when",
    Kind.PLAIN: "what the files at hand do not say",
}

_WORDS = (
    (Kind.FLIGHT_RECORDER, ("flight recorder",)),
    (Kind.AUDIT_LOG, ("audit",)),
    (Kind.FABRIC_MANAGER_LOG, ("fabric manager", "fabric state", "imex log")),
    (Kind.KUBELET_LOG, ("kubelet",)),
    (Kind.RUNTIME_LOG, ("containerd", "runtime log", "crictl", "list of containers")),
    (Kind.HOST_TOOL, ("bmc", "hypervisor", "df output", "process list", "list of processes", "lspci", "package",
        "host configuration",
                      "interface settings", "drive health", "nvme error", "ulimit", "inventory", "service configuration")),
    (Kind.KERNEL_LOG, ("kernel", "dmesg", "console", "xid", "pcie error", "call trace")),
    (Kind.JOURNAL, ("journal",)),
    (Kind.CHANGE_LOG, ("change", "upgrade notes", "build history", "history of")),
    (Kind.NVIDIA_SMI, ("nvidia-smi", "nvidia_smi", "dcgmi", "gpu error counter", "nvlink counter")),
    (Kind.TOPOLOGY, ("topology", "cabling", "map of", "slot map", "network documentation", "placement")),
    (Kind.IBSTAT, ("port counter", "port state", "cable", "fabric counter", "network counter", "switch", "rdma test",
        "ibstat", "optics")),
    (Kind.KUBE_EVENTS, ("kube_events", "pod events", "events of", "kubernetes events")),
    (Kind.PROMETHEUS_RESPONSE, ("metric", "counter", "temperature", "prometheus", "usage", "steal time", "bandwidth")),
    (Kind.KUBECTL_DESCRIBE, ("description of", "describe")),
    (Kind.KUBE_OBJECTS, ("yaml of", "specification", "manifest", "configuration file", "pod spec", "objects")),
    (Kind.CONTAINER_LOG, ("container log", "plugin log", "controller log", "log of the controller", "logs of the pods",
        "container_log")),
    (Kind.JOB_STATUS, ("scheduler log", "job result", "jobs on", "job list", "node names")),
    (Kind.APPLICATION_LOG, ("application", "job log", "lines of the other ranks", "logs of the other ranks", "stacks",
        "core dump", "nccl log",
                            "error lines", "output of the")),
    (Kind.SYSLOG, ("syslog", "log of the api server", "system log")),
    (Kind.KUBECTL_GET, ("kubectl", "list of pods", "pod list", "list of nodes", "number of pods", "state of the nodes")),
)  # fmt: skip
"""Words of people for kinds, the most telling first."""


def kind_of_absence(text: str) -> Kind:
    """Return the kind that `text` says is missing, `PLAIN` when it cannot be told."""
    words = text.strip().lower()
    first = words.replace("(", " ").split(" ", 1)[0].rstrip(",:;")
    if first in set(Kind):
        return Kind(first)
    return next((kind for kind, marks in _WORDS if any(mark in words for mark in marks)), Kind.PLAIN)


def absence(text: str, source: str) -> tuple[Gap, Coverage]:
    """Return the gap and the coverage for something that was not collected."""
    kind = kind_of_absence(text)
    gap = Gap(source=source, why=f"not collected: {text}", would_tell=WOULD_TELL[kind], kind=kind)
    return gap, Coverage(source=source, kind=kind, state=CoverageState.NOT_COLLECTED, note=text)
