"""What may be said with an action besides its target, and what such a text may look like. Pure."""

import re
from collections.abc import Mapping

from firstfault.policies.targets import is_object_name

AVOID_NODE = "avoid_node"
"""The machine that a job must not come back to."""
GPU_UUID = "gpu_uuid"
GPU_PCI = "gpu_pci"
"""The device that a reset is for, by either of its names."""

_UUID = re.compile(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
"""Source: NVML, nvmlDeviceGetUUID."""
_PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]", re.ASCII)
"""Source: lspci(8), domain:bus:device.function."""


def fits(name: str, text: str) -> bool:
    """Return whether `text` can be what the parameter `name` says; a name that is not known fits nothing."""
    if name == AVOID_NODE:
        return is_object_name(text)
    form: Mapping[str, re.Pattern[str]] = {GPU_UUID: _UUID, GPU_PCI: _PCI}
    return name in form and form[name].fullmatch(text) is not None
