"""What the API server says of the cluster afterwards: all machines with their labels, the pods of the job, some events."""

import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta

from firstfault.evals.sim.headline.faults import Root, Story
from firstfault.evals.sim.headline.site import GPUS, PER_RACK, PER_SPINE, STUCK_AT, TIMEOUT_S, Machine, Site

NAMESPACE = "pretrain"
_ENDED = STUCK_AT + timedelta(seconds=TIMEOUT_S + 40)
_BUSY_SHARE = 0.02
"""Machines about which there is an event that means nothing."""


def nodes(site: Site) -> list[dict[str, object]]:
    """Return the Node objects."""
    return [_node(machine) for machine in site.all]


def pods(story: Story) -> list[dict[str, object]]:
    """Return the pods of the job: all failed, for every process aborted."""
    return [_pod(story, machine) for machine in story.site.all]


def events(story: Story) -> list[dict[str, object]]:
    """Return the events of the last hour, oldest first."""
    return sorted(_events(story), key=lambda event: str(event["lastTimestamp"]))


def topology(site: Site) -> str:
    """Return the site's own table of what hangs where."""
    rows = [
        f"{each.name},{each.leaf},spine-{each.number // PER_SPINE:02d},rack-{each.number // PER_RACK:03d}"
        for each in site.all
    ]
    return "\n".join(["node,switch,spine,rack", *rows]) + "\n"


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def _uid(name: str) -> str:
    return (
        f"6f1d{zlib.crc32(name.encode()):08x}"[:8] + f"-0c3e-4b7a-9d52-{zlib.crc32(name.encode()[::-1]):012x}"
    )


def _metadata(name: str, namespace: str | None, labels: dict[str, str], at: datetime) -> dict[str, object]:
    space = {"namespace": namespace} if namespace else {}
    return {"name": name, **space, "uid": _uid(name), "creationTimestamp": _time(at), "labels": labels}


def _node(machine: Machine) -> dict[str, object]:
    labels = {
        "kubernetes.io/hostname": machine.name,
        "node.kubernetes.io/instance-type": "gpu.h100.8x",
        "network.topology.nvidia.com/leaf": machine.leaf,
        "network.topology.nvidia.com/spine": f"spine-{machine.number // PER_SPINE:02d}",
        "topology.example.com/rack": f"rack-{machine.number // PER_RACK:03d}",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/cuda.driver-version.full": "570.124.06",
    }
    seen = STUCK_AT + timedelta(seconds=TIMEOUT_S + machine.number % 60)
    conditions = [
        {
            "type": name,
            "status": "True" if name == "Ready" else "False",
            "lastHeartbeatTime": _time(seen),
            "lastTransitionTime": _time(STUCK_AT - timedelta(days=20)),
            "reason": reason,
            "message": message,
        }
        for name, reason, message in (
            ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
            ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
            ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
            ("Ready", "KubeletReady", "kubelet is posting ready status"),
        )
    ]
    room = {"cpu": "190", "memory": "2063Gi", "nvidia.com/gpu": str(GPUS), "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": _metadata(machine.name, None, labels, STUCK_AT - timedelta(days=90)),
        "spec": {"providerID": f"example:///{machine.name}"},
        "status": {
            "addresses": [{"type": "InternalIP", "address": machine.address}],
            "allocatable": room,
            "capacity": room,
            "conditions": conditions,
            "nodeInfo": {
                "kernelVersion": "6.8.0-60-generic",
                "osImage": "Ubuntu 24.04.2 LTS",
                "containerRuntimeVersion": "containerd://2.0.5",
                "kubeletVersion": "v1.33.4",
            },
        },
    }


def _pod(story: Story, machine: Machine) -> dict[str, object]:
    labels = {
        "training.kubeflow.org/job-name": "pretrain",
        "training.kubeflow.org/replica-index": str(machine.number),
    }
    is_first = story.root is Root.OUT_OF_MEMORY and machine == story.machine
    ended = STUCK_AT if is_first else _ENDED
    state = {
        "terminated": {
            "exitCode": 1 if is_first else 134,
            "reason": "Error",
            "startedAt": _time(STUCK_AT - timedelta(hours=9)),
            "finishedAt": _time(ended),
        }
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _metadata(machine.pod, NAMESPACE, labels, STUCK_AT - timedelta(hours=9)),
        "spec": {
            "nodeName": machine.name,
            "restartPolicy": "Never",
            "containers": [
                {
                    "name": "pytorch",
                    "image": "registry.example.com/pretrain:2026.11",
                    "resources": {"limits": {"nvidia.com/gpu": str(GPUS)}},
                }
            ],
        },
        "status": {
            "phase": "Failed",
            "podIP": machine.address,
            "containerStatuses": [
                {
                    "name": "pytorch",
                    "ready": False,
                    "restartCount": 0,
                    "image": "registry.example.com/pretrain:2026.11",
                    "state": state,
                }
            ],
        },
    }


def _events(story: Story) -> Iterator[dict[str, object]]:
    chance = story.site.chance("events")
    for machine in story.site.all:
        if chance.random() < _BUSY_SHARE:
            at = STUCK_AT - timedelta(minutes=chance.randrange(5, 50))
            text = (
                f'Successfully pulled image "registry.example.com/agent:3" in {chance.randrange(200, 900)}ms'
            )
            agent = ("Pod", f"node-agent-{machine.number}")
            yield _event(machine, agent, ("Pulled", "Normal", text), at)
    failed = f"PyTorchJob pretrain is failed because {story.site.machines} Worker replica(s) failed."
    yield _event(
        story.site.all[0],
        ("PyTorchJob", "pretrain"),
        ("PyTorchJobFailed", "Warning", failed),
        _ENDED + timedelta(seconds=20),
    )


def _event(
    machine: Machine, about: tuple[str, str], says: tuple[str, str, str], at: datetime
) -> dict[str, object]:
    """Return an event. about: kind and name; says: reason, type and message."""
    kind, name = about
    reason, level, text = says
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": _metadata(f"{name}.{machine.number:x}", NAMESPACE, {}, at),
        "involvedObject": {"kind": kind, "name": name, "namespace": NAMESPACE},
        "reason": reason,
        "message": text,
        "type": level,
        "count": 1,
        "source": {"component": "kubelet", "host": machine.name},
        "firstTimestamp": _time(at),
        "lastTimestamp": _time(at),
    }
