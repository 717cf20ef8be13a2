"""GPU reset, reboot and replacement: the resource of a controller that does it, and its result watched.

Which resource, with which fields, is data: `firstfault.agent.facts.repairs`.
"""

from collections.abc import Mapping

from firstfault.agent.executor.plans.identity import same_object
from firstfault.agent.executor.steps import Call, Check, NoPlanError, Plan, Step, Test, Verb
from firstfault.agent.facts.repairs import Repair
from firstfault.agent.facts.snapshot import Snapshot
from firstfault.policies.actions import Action
from firstfault.policies.canonical import digest
from firstfault.policies.parameters import GPU_PCI, GPU_UUID, fits
from firstfault.policies.proposals import Proposal
from firstfault.policies.targets import TargetKind
from firstfault.tools.entities import canonical_bdf
from firstfault.tools.kube.resources import NODES
from firstfault.tools.readings import Json

DECISION_LABEL = "firstfault.dev/decision"


def delegate(
    proposal: Proposal, decision_id: str, snapshot: Snapshot, repairs: Mapping[Action, Repair]
) -> Plan:
    """Return the plan that asks a controller.

    Raises NoPlanError when no controller is configured for the action, or when it is not known which node or GPU is meant.
    """
    repair = repairs.get(proposal.action)
    if repair is None:
        msg = f"no controller is configured for {proposal.action}: name a repair profile in the settings"
        raise NoPlanError(msg)
    target = proposal.target
    node = target.name if target.kind is TargetKind.NODE else target.node or ""
    machine = snapshot.get("node", node)
    if machine is None:
        msg = f"there is no node `{node}`"
        raise NoPlanError(msg)
    values = {
        "node": node,
        **_device(proposal),
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
        before=(same_object(NODES.path(name=node), machine),),
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


def _device(proposal: Proposal) -> dict[str, str]:
    """Return the names of the device: none for a whole machine. One GPU that is not known by either name is refused."""
    said, target = proposal.parameters, proposal.target
    is_one = target.kind is TargetKind.GPU
    names = {GPU_UUID: said.get(GPU_UUID, ""), GPU_PCI: said.get(GPU_PCI, "")}
    address = canonical_bdf(target.name) if is_one else None
    if address and not names[GPU_PCI]:
        names[GPU_PCI] = f"{address}.0"
    if is_one and fits(GPU_UUID, target.name):
        names[GPU_UUID] = target.name
    if is_one and not any(names.values()):
        msg = f"GPU `{target.name}` of `{target.node}` is known neither by its UUID nor by its PCI address"
        raise NoPlanError(msg)
    return names


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
