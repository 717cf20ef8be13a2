"""What a machine is, in a few hundred bytes: what it shares with others, its versions, its conditions. Pure.

The compact form has the shape of the API's own Node object, so that whatever reads nodes reads it as well.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import orjson

from firstfault.tools.readings import Json
from firstfault.tools.topology.groups import load_dimensions, names_dimension

DEVICE_LABELS = ("nvidia.com/gpu.", "nvidia.com/cuda.", "nvidia.com/mig.", "nvidia.com/vgpu.")
"""Labels that say which devices and drivers a machine has, besides those that say what it shares.

Source: NVIDIA GPU feature discovery.
"""
FLEETING = ("nvidia.com/gpu.deploy.", "nvidia.com/gfd.")
"""Switches and time stamps of the operator under the same names: they change without a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine at one time. body: the compact Node object as JSON, keys in order."""

    name: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A machine that looked the same from first_seen to last_seen, aware UTC."""

    machine: Machine
    first_seen: datetime
    last_seen: datetime


def compact(node: Mapping[str, Json]) -> dict[str, Json]:
    """Return the compact form of a Node object: about a fiftieth of it."""
    metadata, spec, status = (_part(node, name) for name in ("metadata", "spec", "status"))
    labels = {key: value for key, value in _part(metadata, "labels").items() if _tells(key)}
    allocatable = {key: value for key, value in _part(status, "allocatable").items() if "/" in key}
    return {
        "kind": "Node",
        "metadata": {
            "name": metadata.get("name"),
            "uid": metadata.get("uid"),
            "labels": dict(sorted(labels.items())),
        },
        "spec": {"unschedulable": bool(spec.get("unschedulable"))},
        "status": {
            "allocatable": dict(sorted(allocatable.items())),
            "conditions": _conditions(status.get("conditions")),
            "nodeInfo": {
                key: value for key, value in sorted(_part(status, "nodeInfo").items()) if key not in _IDS
            },
        },
    }


_IDS = frozenset({"machineID", "systemUUID", "bootID"})


def machine_of(node: Mapping[str, Json]) -> Machine:
    """Return the machine that a compact Node object is."""
    return Machine(name=str(_part(node, "metadata").get("name") or ""), body=orjson.dumps(node).decode())


def node_of(machine: Machine) -> dict[str, Json]:
    """Return the compact Node object."""
    return cast("dict[str, Json]", orjson.loads(machine.body))


def differences(before: Machine, after: Machine) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield what differs: name, value before, value after; None where it was not there. Conditions are no changes."""
    old, new = _facts(node_of(before)), _facts(node_of(after))
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield name, old.get(name), new.get(name)


def _facts(node: Mapping[str, Json]) -> dict[str, str]:
    metadata, spec, status = (_part(node, name) for name in ("metadata", "spec", "status"))
    flat = {
        **_part(metadata, "labels"),
        **{f"allocatable {name}": value for name, value in _part(status, "allocatable").items()},
        **_part(status, "nodeInfo"),
        "cordoned": bool(spec.get("unschedulable")),
        "uid": metadata.get("uid"),
    }
    return {name: str(value) for name, value in flat.items()}


def _tells(label: str) -> bool:
    if label.startswith(FLEETING):
        return False
    return label.startswith(DEVICE_LABELS) or any(names_dimension(each, label) for each in load_dimensions())


def _part(value: Mapping[str, Json], name: str) -> dict[str, Json]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _conditions(value: Json) -> list[Json]:
    """Return the conditions without heartbeats: those change every minute and say nothing new."""
    rows = value if isinstance(value, list) else []
    kept = ("type", "status", "reason", "lastTransitionTime")
    return [
        {name: row[name] for name in kept if name in row}
        for row in sorted(
            (row for row in rows if isinstance(row, dict)), key=lambda row: str(row.get("type"))
        )
    ]
