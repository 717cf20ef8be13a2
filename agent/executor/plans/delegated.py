"""GPU reset, reboot and replacement: the resource of a controller that does it, and its result watched.

Which resource, with which fields, is data: `repairs.toml`, and a site's own file in its form.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, cast

from firstfault.agent.executor.steps import Call, Check, NoPlanError, Plan, Step, Test, Verb
from firstfault.policies.actions import Action
from firstfault.policies.canonical import digest
from firstfault.policies.proposals import Proposal
from firstfault.policies.targets import TargetKind
from firstfault.tools.kube.door import ReadDoor, Resource
from firstfault.tools.kube.errors import KubeError, NotFoundError
from firstfault.tools.kube.resources import DEPLOYMENTS
from firstfault.tools.readings import Json

DECISION_LABEL = "firstfault.dev/decision"
GPU_UUID = "gpu_uuid"
"""Parameter of a proposal: the device that a reset is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """One controller's resource for one action.

    name: of the object, `{id}` and `{node}` filled in; one per decision, so that asking twice makes one. spec: its fields, with
    `{node}`, `{gpu_uuid}` and `{why}` filled in. done: the condition that turns True at the end.
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
    """Return the repairs of one profile. Raises NoPlanError with the known profiles."""
    content = (
        text
        if text is not None
        else resources.files("firstfault.agent.executor.plans").joinpath("repairs.toml").read_text("utf-8")
    )
    profiles = cast("dict[str, dict[str, dict[str, Any]]]", tomllib.loads(content))
    if profile not in profiles:
        msg = f"unknown repair profile `{profile}`: one of {', '.join(sorted(profiles))}"
        raise NoPlanError(msg)
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


def delegate(proposal: Proposal, decision_id: str, repairs: Mapping[Action, Repair]) -> Plan:
    """Return the plan that asks a controller. Raises NoPlanError when no controller is configured for the action."""
    repair = repairs.get(proposal.action)
    if repair is None:
        msg = f"no controller is configured for {proposal.action}: name a repair profile in the settings"
        raise NoPlanError(msg)
    target = proposal.target
    node = target.name if target.kind is TargetKind.NODE else target.node or ""
    values = {
        "node": node,
        GPU_UUID: proposal.parameters.get(GPU_UUID, ""),
        "why": f"firstfault {decision_id}",
    }
    values["id"] = digest(decision_id)[:12]
    name = str(_filled(repair.name, values))
    path = repair.resource.path(repair.namespace, name)
    labels: dict[str, Json] = {"app.kubernetes.io/managed-by": "firstfault", DECISION_LABEL: values["id"]}
    body: dict[str, Json] = {
        "apiVersion": f"{repair.resource.group}/{repair.resource.version}",
        "kind": repair.resource.kind,
        "metadata": {"name": name, "labels": labels},
        "spec": _filled(dict(repair.spec), values),
    }
    asked = Step(
        name=f"ask {repair.resource.kind} for {node}",
        call=Call(verb=Verb.CREATE, path=repair.resource.path(repair.namespace), body=body),
        done=(
            Check(path=path, test=Test.IS, field=("metadata", "labels", DECISION_LABEL), value=values["id"]),
        ),
    )
    finished = Step(
        name=f"{repair.resource.kind} of {node} reports {repair.done}",
        done=(Check(path=path, test=Test.CONDITION, field=(repair.done,), value="True"),),
        failed=(Check(path=path, test=Test.CONDITION, field=(repair.done,), value="False"),),
        within_s=repair.within_s,
    )
    return Plan(
        action=proposal.action, target=target.key, steps=(asked, finished), deadline_s=repair.within_s + 120
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


def _filled(value: Json, values: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        for name, text in values.items():
            value = value.replace(f"{{{name}}}", text)
        return value
    if isinstance(value, list):
        return [found for item in value if (found := _filled(item, values)) != ""]
    if isinstance(value, dict):
        return {key: _filled(item, values) for key, item in value.items()}
    return value
