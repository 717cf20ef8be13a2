"""Which controller's resource carries out a reset, a reboot or a replacement, and whether it is alive.

Data: `repairs.toml`, and a site's own file in its form.

Errors
└── RepairError      the profiles cannot be used
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, cast

from firstfault.policies.actions import Action
from firstfault.tools.kube.door import ReadDoor, Resource
from firstfault.tools.kube.errors import KubeError, NotFoundError
from firstfault.tools.kube.resources import DEPLOYMENTS
from firstfault.tools.readings import Json


class RepairError(ValueError):
    """The profiles cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """One controller's resource for one action.

    name: of the object, `{id}` and `{node}` filled in; one per decision, so that asking twice makes one. spec: its fields, with
    `{node}`, `{gpu_uuid}`, `{gpu_pci}` and `{why}` filled in. done: the condition that turns True at the end.
    deployment: `namespace/name` of the controller, looked at before; empty when it cannot be told.
    """

    resource: Resource
    spec: Mapping[str, Json]
    done: str
    within_s: int
    name: str = "firstfault-{id}"
    namespace: str | None = None
    deployment: str = ""


def load_repairs(profile: str, text: str | None = None) -> dict[Action, Repair]:
    """Return the repairs of one profile. Raises RepairError with the known profiles."""
    content = (
        text
        if text is not None
        else resources.files("firstfault.agent.facts").joinpath("repairs.toml").read_text("utf-8")
    )
    profiles = cast("dict[str, dict[str, dict[str, Any]]]", tomllib.loads(content))
    if profile not in profiles:
        msg = f"unknown repair profile `{profile}`: one of {', '.join(sorted(profiles))}"
        raise RepairError(msg)
    return {Action(name): _repair(row) for name, row in profiles[profile].items()}


def _repair(row: Mapping[str, Any]) -> Repair:
    return Repair(
        resource=Resource(group=row["group"], version=row["version"], plural=row["plural"], kind=row["kind"]),
        spec=row["spec"],
        done=row["done"],
        within_s=row["within_s"],
        name=row.get("name", "firstfault-{id}"),
        namespace=row.get("namespace"),
        deployment=row.get("deployment", ""),
    )


def is_controller_ready(door: ReadDoor, repair: Repair | None) -> bool | None:
    """Return whether the resource is served and its controller runs; None when it cannot be told."""
    if repair is None:
        return None
    try:
        door.get(repair.resource, "", repair.namespace)
        if not repair.deployment:
            return True
        namespace, _, name = repair.deployment.partition("/")
        status = door.get(DEPLOYMENTS, name, namespace).get("status")
    except NotFoundError:
        return False
    except KubeError:
        return None
    available = status.get("availableReplicas") if isinstance(status, dict) else None
    return isinstance(available, int) and available > 0
