"""A described node."""

import re

from firstfault.tools.readers.columns import cells_of, columns_of
from firstfault.tools.readers.kube.describe.conditions import put_conditions
from firstfault.tools.readers.kube.describe.outline import ABSENT, Entry
from firstfault.tools.readers.kube.describe.parts import put_metadata, put_quantities, time_text, truth
from firstfault.tools.readers.kube.draft import Draft

_INFO = {
    "Machine ID": "machineID", "System UUID": "systemUUID", "Boot ID": "bootID", "Kernel Version": "kernelVersion",
    "OS Image": "osImage", "Operating System": "operatingSystem", "Architecture": "architecture",
    "Container Runtime Version": "containerRuntimeVersion", "Kubelet Version": "kubeletVersion",
    "Kube-Proxy Version": "kubeProxyVersion",
}  # fmt: skip
_TAINT = re.compile(r"^(?P<key>[^=:\s]+)(?:=(?P<value>[^:\s]*))?:(?P<effect>\w+)$")
_CUSTOM = re.compile(
    r"^(?P<type>[A-Z]\w+)\s*=\s*(?P<status>True|False|Unknown)\b(?:\s+reason=(?P<reason>\S+))?"
)
_ROLE = "node-role.kubernetes.io/"


def node(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of a node."""
    put_metadata(root, draft)
    roles = root.find("Roles")
    for role in roles.value.split(",") if roles is not None and roles.value not in ABSENT else []:
        draft.put("metadata", "labels", f"{_ROLE}{role}", value="true", line=roles.line if roles else 1)
    _put_taints(draft, root.find("Taints"))
    unschedulable = root.find("Unschedulable")
    if unschedulable is not None:
        draft.put("spec", "unschedulable", value=truth(unschedulable.value), line=unschedulable.line)
    provider = root.find("ProviderID")
    if provider is not None:
        draft.put("spec", "providerID", value=provider.value, line=provider.line)
    put_conditions(draft, root.find("Conditions"), raw_lines)
    _put_addresses(draft, root.find("Addresses"))
    for key, name in (("Capacity", "capacity"), ("Allocatable", "allocatable")):
        put_quantities(draft, root.find(key), "status", name)
    info = root.find("System Info")
    for entry in info.below if info is not None else []:
        name = _INFO.get(entry.key)
        if name is not None:
            draft.put("status", "nodeInfo", name, value=entry.value, line=entry.line)
    lease = root.find("Lease")
    renewed = lease.find("RenewTime") if lease is not None else None
    if renewed is not None and renewed.value not in ABSENT:
        draft.put("status", "leaseRenewTime", value=time_text(renewed.value), line=renewed.line)
    _put_allocated(draft, root.find("Allocated resources"))
    _put_pods(draft, root.find("Non-terminated Pods"), raw_lines)


def _put_taints(draft: Draft, entry: Entry | None) -> None:
    if entry is None:
        return
    draft.touch_list("spec", "taints", line=entry.line)
    for line, text in entry.values():
        match = _TAINT.match(text)
        if match is not None:
            taint = draft.append("spec", "taints", line=line)
            for name in ("key", "value", "effect"):
                taint.put(name, value=match[name], line=line)


def _put_addresses(draft: Draft, entry: Entry | None) -> None:
    for below in entry.below if entry is not None else []:
        address = draft.append("status", "addresses", line=below.line)
        address.put("type", value=below.key, line=below.line)
        address.put("address", value=below.value, line=below.line)


def _put_allocated(draft: Draft, entry: Entry | None) -> None:
    """Fill `status.allocated.<resource>` (requests, limits): not in the API, but printed and often decisive."""
    for below in entry.below if entry is not None else []:
        words = re.split(r"\s{2,}", below.text)
        if len(words) > 1 and words[0] not in {"Resource", "--------"}:
            for name, value in zip(("requests", "limits"), words[1:], strict=False):
                draft.put(
                    "status", "allocated", words[0], name, value=value.split(" ", 1)[0], line=below.line
                )


def _put_pods(draft: Draft, entry: Entry | None, raw_lines: list[str]) -> None:
    """Fill `status.pods` with the pods that the description lists: not in the API, but printed."""
    rows = entry.below if entry is not None else []
    if not rows:
        return
    columns = columns_of(raw_lines[rows[0].line - 1].rstrip("\r"))
    for row in rows[1:]:
        if set(row.text) <= {"-", " "}:
            continue
        pod = draft.append("status", "pods", line=row.line)
        for title, cell in cells_of(raw_lines[row.line - 1].rstrip("\r"), columns).items():
            head, *rest = title.split()
            name = head.lower() + "".join(rest)
            pod.put(name, value=cell.split(" ", 1)[0] if rest else cell, line=row.line)


def put_custom_conditions(draft: Draft, root: Entry) -> bool:
    """Fill `status.conditions` from lines such as `GpuWatch = True  reason=X`; return whether there were any."""
    found = False
    for entry in root.below:
        match = _CUSTOM.match(entry.text)
        if match is None:
            continue
        found = True
        condition = draft.append("status", "conditions", line=entry.line)
        for name in ("type", "status", "reason"):
            condition.put(name, value=match[name], line=entry.line)
        if entry.below:
            condition.put(
                "message", value=" ".join(below.text for below in entry.below), line=entry.below[0].line
            )
    return found
