"""A large cluster that only answers lists: 5,000 nodes, 20,000 pods and 50,000 events, written out once and served as bytes.

`KubeApi` behaves like a server and is slow; this one is as fast as a file, so that what is measured is the client.
Sizes are those of real objects: a node with its labels, conditions, images and managed fields is some 13 kB, a pod 7 kB.
"""

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from firstfault.evals.sim.recorded_http import Said

NODES, PODS, EVENTS = 5_000, 20_000, 50_000
PER_SWITCH = 32
PER_NAMESPACE = 200
NODE_EVENTS_SHARE = 5
"""One event in so many is about a node."""
STARTED = "2026-11-30T05:00:00Z"
_ONE = re.compile(r"/api/v1/nodes/(?P<name>[^/]+)")
_NAMESPACED = re.compile(r"/api(?:/v1|s/[^/]+/[^/]+)/namespaces/(?P<namespace>[^/]+)/(?P<plural>[^/]+)")


def node_name(number: int) -> str:
    """Return the name of a node."""
    return f"gpu-{number:05d}"


@dataclass
class Fleet:
    """The answers. nodes: by name; the others: by what selects them."""

    nodes: dict[str, bytes] = field(default_factory=dict[str, bytes])
    pods_on: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict[str, list[bytes]](list))
    pods_in: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict[str, list[bytes]](list))
    events_of: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict[str, list[bytes]](list))
    events_in: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict[str, list[bytes]](list))

    @classmethod
    def of_size(cls, nodes: int = NODES, pods: int = PODS, events: int = EVENTS) -> "Fleet":
        """Return a fleet, the same every time."""
        fleet = cls()
        for number in range(nodes):
            fleet.nodes[node_name(number)] = _json(_node(number))
        for number in range(pods):
            body, namespace, node = _json(_pod(number, nodes)), _space(number), node_name(number % nodes)
            fleet.pods_on[node].append(body)
            fleet.pods_in[namespace].append(body)
        for number in range(events):
            if number % NODE_EVENTS_SHARE == 0:
                node = node_name(number // NODE_EVENTS_SHARE % nodes)
                body = _json(_event(number, "Node", node, "default"))
                fleet.events_of[node].append(body)
                fleet.events_in["default"].append(body)
            else:
                pod = number % pods
                fleet.events_in[_space(pod)].append(
                    _json(_event(number, "Pod", f"trainer-{pod}", _space(pod)))
                )
        return fleet

    def answer(self, path: str, query: dict[str, str]) -> Said:
        """Answer a list or one node, page by page; a kind that the fleet has none of is empty."""
        if path == "/apis":
            return Said(body=b'{"kind":"APIGroupList","groups":[]}')
        one = _ONE.fullmatch(path)
        if one is not None:
            found = self.nodes.get(one["name"])
            return Said(body=found) if found else Said(body=b'{"kind":"Status","code":404}', code=404)
        if "/leases/" in path:
            return Said(body=b'{"kind":"Status","code":404}', code=404)
        if path.endswith("/log"):
            return Said(body=b"", content_type="text/plain")
        return Said(body=_page(self._rows(path, query.get("fieldSelector", "")), query))

    def _rows(self, path: str, selector: str) -> Sequence[bytes]:
        fields = dict(part.split("=", 1) for part in selector.split(",") if "=" in part)
        inside = _NAMESPACED.fullmatch(path)
        if path == "/api/v1/nodes":
            return list(self.nodes.values())
        if path == "/api/v1/pods":
            return self.pods_on.get(fields.get("spec.nodeName", ""), [])
        if path == "/api/v1/events":
            return self.events_of.get(fields.get("involvedObject.name", ""), [])
        if inside is not None and inside["plural"] == "pods":
            return self.pods_in.get(inside["namespace"], [])
        if inside is not None and inside["plural"] == "events":
            return self.events_in.get(inside["namespace"], [])
        return []


def _page(rows: Sequence[bytes], query: dict[str, str]) -> bytes:
    start, limit = int(query.get("continue") or 0), int(query.get("limit") or 0)
    end = start + limit if limit else len(rows)
    token = str(end) if end < len(rows) else ""
    metadata = f'{{"resourceVersion":"100","continue":"{token}"}}'
    return (
        f'{{"kind":"List","apiVersion":"v1","metadata":{metadata},"items":['.encode()
        + b",".join(rows[start:end])
        + b"]}"
    )


def _json(body: object) -> bytes:
    return json.dumps(body, separators=(",", ":")).encode()


def _space(pod: int) -> str:
    return f"train-{pod // PER_NAMESPACE:03d}"


def _metadata(
    name: str, namespace: str | None, labels: dict[str, str], owned_fields: int
) -> dict[str, object]:
    """Return metadata with as many managed fields as servers keep: about half of an object."""
    none: dict[str, object] = {}
    parts: dict[str, object] = {f"f:part-{part}": none for part in range(6)}
    owned: dict[str, object] = {"f:status": {f"f:field-{number}": parts for number in range(owned_fields)}}
    managers: list[dict[str, object]] = [
        {
            "manager": manager,
            "operation": "Update",
            "apiVersion": "v1",
            "time": STARTED,
            "fieldsType": "FieldsV1",
            "fieldsV1": owned,
        }
        for manager in ("kubelet", "kube-controller-manager")
    ]
    return {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        "uid": f"00000000-0000-0000-0000-{zlib.crc32(name.encode()):012d}",
        "resourceVersion": "99",
        "creationTimestamp": STARTED,
        "labels": labels,
        "managedFields": managers,
    }


def _node(number: int) -> dict[str, object]:
    labels = {
        "kubernetes.io/hostname": node_name(number),
        "network.topology.nvidia.com/leaf": f"leaf-{number // PER_SWITCH}",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/cuda.driver-version.full": "570.124.06",
        **{f"feature.node.kubernetes.io/cpu-cpuid.FLAG{flag}": "true" for flag in range(40)},
    }
    types = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "GpuXidError", "KernelDeadlock")
    conditions = [
        {
            "type": each,
            "status": "True" if each == "Ready" else "False",
            "lastHeartbeatTime": STARTED,
            "lastTransitionTime": STARTED,
            "reason": f"Is{each}",
            "message": f"the kubelet says that {each} is as it should be",
        }
        for each in types
    ]
    images = [
        {"names": [f"registry.example/team/image-{each}@sha256:{'0' * 64}"], "sizeBytes": 10**9}
        for each in range(50)
    ]
    return {
        "kind": "Node",
        "apiVersion": "v1",
        "metadata": _metadata(node_name(number), None, labels, 8),
        "spec": {"providerID": f"example:///{number}"},
        "status": {
            "capacity": {"cpu": "192", "nvidia.com/gpu": "8"},
            "allocatable": {"cpu": "190", "nvidia.com/gpu": "8"},
            "conditions": conditions,
            "nodeInfo": {"kernelVersion": "6.8.0-60-generic", "kubeletVersion": "v1.36.2"},
            "images": images,
        },
    }


def _pod(number: int, nodes: int) -> dict[str, object]:
    env = [{"name": f"NCCL_SETTING_{each}", "value": f"value-{each}"} for each in range(30)]
    container = {
        "name": "trainer",
        "image": "registry.example/train:1",
        "env": env,
        "resources": {"limits": {"nvidia.com/gpu": "8"}},
        "volumeMounts": [{"name": f"volume-{each}", "mountPath": f"/data/{each}"} for each in range(6)],
    }
    return {
        "metadata": _metadata(f"trainer-{number}", _space(number), {"job": _space(number)}, 8),
        "spec": {"nodeName": node_name(number % nodes), "containers": [container]},
        "status": {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": STARTED}],
            "containerStatuses": [{"name": "trainer", "ready": True, "restartCount": 0}],
        },
    }


def _event(number: int, kind: str, name: str, namespace: str) -> dict[str, object]:
    return {
        "metadata": _metadata(f"{name}.{number:x}", namespace, {}, 1),
        "involvedObject": {"kind": kind, "name": name, "namespace": namespace},
        "reason": "BackOff" if kind == "Pod" else "NodeNotReady",
        "message": f"{kind} {name} is not as it should be: attempt {number}",
        "type": "Warning",
        "count": 1 + number % 9,
        "firstTimestamp": STARTED,
        "lastTimestamp": STARTED,
    }
