"""Described claims, volumes, storage classes, budgets and quotas."""

from firstfault.tools.readers.kube.describe.outline import ABSENT, Entry
from firstfault.tools.readers.kube.describe.parts import put_metadata, put_selector, truth, whole
from firstfault.tools.readers.kube.draft import Draft

Fields = dict[str, tuple[str, ...]]

_CLAIM: Fields = {
    "StorageClass": ("spec", "storageClassName"), "Status": ("status", "phase"), "Volume": ("spec", "volumeName"),
    "Capacity": ("status", "capacity", "storage"), "VolumeMode": ("spec", "volumeMode"),
}  # fmt: skip
_VOLUME: Fields = {
    "StorageClass": ("spec", "storageClassName"), "Status": ("status", "phase"),
    "Reclaim Policy": ("spec", "persistentVolumeReclaimPolicy"),
    "Capacity": ("spec", "capacity", "storage"), "VolumeMode": ("spec", "volumeMode"), "Message": ("status", "message"),
}  # fmt: skip
_CLASS: Fields = {
    "Provisioner": ("provisioner",), "ReclaimPolicy": ("reclaimPolicy",), "VolumeBindingMode": ("volumeBindingMode",),
    "AllowVolumeExpansion": ("allowVolumeExpansion",), "IsDefaultClass": ("isDefaultClass",),
}  # fmt: skip
_BUDGET: Fields = {"Max unavailable": ("spec", "maxUnavailable"), "Min available": ("spec", "minAvailable")}
_BUDGET_STATUS: Fields = {
    "Allowed disruptions": ("status", "disruptionsAllowed"), "Current": ("status", "currentHealthy"),
    "Desired": ("status", "desiredHealthy"), "Total": ("status", "expectedPods"),
}  # fmt: skip
_QUOTA_COLUMNS = 3


def _put_fields(root: Entry, draft: Draft, fields: Fields, *, numbers: bool = False) -> None:
    for key, path in fields.items():
        entry = root.find(key)
        if entry is not None and entry.value not in ABSENT:
            value = whole(entry.value) if numbers and "%" not in entry.value else truth(entry.value)
            draft.put(*path, value=value, line=entry.line)


def _put_modes(root: Entry, draft: Draft) -> None:
    modes = root.find("Access Modes")
    for mode in modes.value.split(",") if modes is not None and modes.value else []:
        draft.append_value("spec", "accessModes", value=mode.strip(), line=modes.line if modes else 1)


def claim(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of a claim."""
    del raw_lines
    put_metadata(root, draft)
    _put_fields(root, draft, _CLAIM)
    _put_modes(root, draft)
    users = root.find("Used By", "Mounted By")
    for line, text in users.values() if users is not None else []:
        draft.append_value("status", "usedBy", value=text, line=line)


def volume(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of a persistent volume."""
    del raw_lines
    put_metadata(root, draft)
    _put_fields(root, draft, _VOLUME)
    _put_modes(root, draft)
    held = root.find("Claim")
    if held is not None and held.value not in ABSENT:
        namespace, _, name = held.value.rpartition("/")
        draft.put("spec", "claimRef", "name", value=name, line=held.line)
        draft.put("spec", "claimRef", "namespace", value=namespace, line=held.line)
    source = root.find("Source")
    for below in source.below if source is not None else []:
        if below.key and below.value not in ABSENT:
            draft.put("spec", "source", below.key, value=below.value, line=below.line)
    affinity = root.find("Node Affinity")
    for line, text in _terms(affinity) if affinity is not None else []:
        draft.append_value("spec", "nodeAffinity", "terms", value=text, line=line)


def _terms(entry: Entry) -> list[tuple[int, str]]:
    """Return the terms below `Required Terms:`, each with its line; a term may go over several lines."""
    found: list[tuple[int, str]] = []
    for below in entry.below:
        found += below.values() if below.key.startswith("Term ") else _terms(below)
    return found


def storage_class(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of a storage class."""
    del raw_lines
    put_metadata(root, draft)
    _put_fields(root, draft, _CLASS)


def budget(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of a disruption budget."""
    del raw_lines
    put_metadata(root, draft)
    _put_fields(root, draft, _BUDGET, numbers=True)
    put_selector(draft, root.find("Selector"), "spec", "selector", "matchLabels")
    status = root.find("Status")
    if status is not None:
        _put_fields(status, draft, _BUDGET_STATUS, numbers=True)


def quota(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of a quota: `status.hard` and `status.used`."""
    del raw_lines
    put_metadata(root, draft)
    for entry in root.below:
        cells = entry.text.split()
        if entry.key or len(cells) < _QUOTA_COLUMNS or cells[0] == "Resource" or cells[0].startswith("-"):
            continue
        draft.put("status", "used", cells[0], value=cells[1], line=entry.line)
        draft.put("status", "hard", cells[0], value=cells[2], line=entry.line)
        draft.put("spec", "hard", cells[0], value=cells[2], line=entry.line)
