"""What a recorded text or answer is: the closed list of document kinds and the families of evidence they give."""

from enum import StrEnum


class Kind(StrEnum):
    """Kinds of document, as named in `case.yaml` (DESIGN §9) and by the sniffer."""

    KERNEL_LOG = "kernel_log"
    CONTAINER_LOG = "container_log"
    KUBELET_LOG = "kubelet_log"
    RUNTIME_LOG = "runtime_log"
    FABRIC_MANAGER_LOG = "fabric_manager_log"
    SYSLOG = "syslog"
    JOURNAL = "journal"
    APPLICATION_LOG = "application_log"
    KUBECTL_DESCRIBE = "kubectl_describe"
    KUBECTL_GET = "kubectl_get"
    KUBE_OBJECTS = "kube_objects"
    KUBE_EVENTS = "kube_events"
    AUDIT_LOG = "audit_log"
    PROMETHEUS_RESPONSE = "prometheus_response"
    NVIDIA_SMI = "nvidia_smi"
    IBSTAT = "ibstat"
    CHANGE_LOG = "change_log"
    JOB_STATUS = "job_status"
    OPERATOR_NOTES = "operator_notes"
    FLIGHT_RECORDER = "flight_recorder"
    HOST_TOOL = "host_tool"
    TOPOLOGY = "topology"
    ALERTS = "alerts"
    PLAIN = "plain"
    """Not recognised: kept as lines, searchable and citable, never a reason to rule something out."""


class Family(StrEnum):
    """Independent families of evidence: two that agree are needed for CONFIRMED (DESIGN §5). NOTE never counts."""

    KERNEL = "kernel"
    DEVICE = "device"
    METRICS = "metrics"
    API_OBJECTS = "api_objects"
    API_EVENTS = "api_events"
    RUNTIME = "runtime"
    CONTROL_PLANE = "control_plane"
    APPLICATION = "application"
    FABRIC = "fabric"
    HOST = "host"
    CHANGE = "change"
    NOTE = "note"


FAMILY_OF_KIND: dict[Kind, Family] = {
    Kind.KERNEL_LOG: Family.KERNEL,
    Kind.SYSLOG: Family.HOST,
    Kind.JOURNAL: Family.HOST,
    Kind.HOST_TOOL: Family.HOST,
    Kind.CONTAINER_LOG: Family.APPLICATION,
    Kind.APPLICATION_LOG: Family.APPLICATION,
    Kind.FLIGHT_RECORDER: Family.APPLICATION,
    Kind.JOB_STATUS: Family.CONTROL_PLANE,
    Kind.KUBELET_LOG: Family.RUNTIME,
    Kind.RUNTIME_LOG: Family.RUNTIME,
    Kind.FABRIC_MANAGER_LOG: Family.FABRIC,
    Kind.IBSTAT: Family.FABRIC,
    Kind.KUBECTL_DESCRIBE: Family.API_OBJECTS,
    Kind.KUBECTL_GET: Family.API_OBJECTS,
    Kind.KUBE_OBJECTS: Family.API_OBJECTS,
    Kind.KUBE_EVENTS: Family.API_EVENTS,
    Kind.AUDIT_LOG: Family.CONTROL_PLANE,
    Kind.PROMETHEUS_RESPONSE: Family.METRICS,
    Kind.ALERTS: Family.METRICS,
    Kind.NVIDIA_SMI: Family.DEVICE,
    Kind.CHANGE_LOG: Family.CHANGE,
    Kind.TOPOLOGY: Family.API_OBJECTS,
    Kind.OPERATOR_NOTES: Family.NOTE,
    Kind.PLAIN: Family.HOST,
}
"""The family a line counts towards when its catalogue row does not say otherwise."""
