"""Cordon, uncordon and drain. A cordon carries the id of the decision, and only such a one is taken back."""

from firstfault.agent.executor.plans.evictions import eviction
from firstfault.agent.executor.plans.identity import same_object
from firstfault.agent.executor.steps import Call, Check, NoPlanError, Plan, Step, Test, Verb
from firstfault.agent.facts.nodes import is_cordoned
from firstfault.agent.facts.pods import grace_s
from firstfault.agent.facts.settings import CORDON_ANNOTATION, FactSettings
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.agent.facts.workloads import pods_that_stop
from firstfault.policies.actions import Action
from firstfault.policies.proposals import Proposal
from firstfault.tools.kube.resources import NODES
from firstfault.tools.readings import Json

_MARK = ("metadata", "annotations", CORDON_ANNOTATION)
_CLOSED = ("spec", "unschedulable")
DRAIN_DEADLINE_S = 1800
"""Equals `grace_max_s` of the limits: what may take longer is refused before it begins."""


def cordon(proposal: Proposal, decision_id: str, snapshot: Snapshot) -> Plan:
    """Return the plan that keeps new pods off the node; one that is closed by us only stays so.

    Raises NoPlanError when somebody else closed it.
    """
    name = proposal.target.name
    node = _node(snapshot, name)
    mark = (node.annotations or {}).get(CORDON_ANNOTATION)
    if is_cordoned(node) and not mark:
        msg = f"node `{name}` is cordoned by somebody else already"
        raise NoPlanError(msg)
    step = _closed_already(name, node) if is_cordoned(node) else _closing(name, node, decision_id)
    return Plan(action=Action.CORDON_NODE, target=proposal.target.key, steps=(step,), deadline_s=120)


def uncordon(proposal: Proposal, snapshot: Snapshot) -> Plan:
    """Return the plan that takes our own cordon back. Raises NoPlanError when the node carries none of ours."""
    name = proposal.target.name
    node = _node(snapshot, name)
    mark = (node.annotations or {}).get(CORDON_ANNOTATION)
    if not mark:
        msg = f"node `{name}` carries no cordon of ours"
        raise NoPlanError(msg)
    path = NODES.path(name=name)
    step = Step(
        name=f"uncordon {name}",
        before=(same_object(path, node), Check(path=path, test=Test.IS, field=_MARK, value=mark)),
        call=_patch(path, is_closed=None, mark=None),
        done=(
            Check(path=path, test=Test.IS_NOT, field=_CLOSED, value=True),
            Check(path=path, test=Test.IS, field=_MARK, value=None),
        ),
        undo=_patch(path, is_closed=True, mark=str(mark)),
    )
    return Plan(action=Action.UNCORDON_NODE, target=proposal.target.key, steps=(step,), deadline_s=120)


def drain(proposal: Proposal, decision_id: str, snapshot: Snapshot, settings: FactSettings) -> Plan:
    """Return the plan that closes the node and evicts its pods. Raises NoPlanError when they are not all known."""
    name = proposal.target.name
    node = _node(snapshot, name)
    pods = pods_that_stop(snapshot, proposal.target, settings)
    if pods is None:
        msg = f"the pods on node `{name}` are not all known"
        raise NoPlanError(msg)
    first = _closed_already(name, node) if is_cordoned(node) else _closing(name, node, decision_id)
    steps = (first, *(eviction(pod, within_s=grace_s(pod) + 120) for pod in pods))
    return Plan(
        action=Action.DRAIN_NODE, target=proposal.target.key, steps=steps, deadline_s=DRAIN_DEADLINE_S
    )


def _closing(name: str, node: ApiObject, decision_id: str) -> Step:
    path = NODES.path(name=name)
    return Step(
        name=f"cordon {name}",
        before=(
            same_object(path, node),
            Check(path=path, test=Test.IS_NOT, field=_CLOSED, value=True),
        ),
        call=_patch(path, is_closed=True, mark=decision_id),
        done=(
            Check(path=path, test=Test.IS, field=_CLOSED, value=True),
            Check(path=path, test=Test.IS, field=_MARK, value=decision_id),
        ),
        undo=_patch(path, is_closed=None, mark=None),
    )


def _closed_already(name: str, node: ApiObject) -> Step:
    """Return a step that only makes sure the node is still closed by us; undoing the drain leaves that cordon."""
    path = NODES.path(name=name)
    mark = (node.annotations or {}).get(CORDON_ANNOTATION)
    return Step(
        name=f"{name} stays cordoned",
        done=(
            Check(path=path, test=Test.IS, field=_CLOSED, value=True),
            Check(path=path, test=Test.IS, field=_MARK, value=mark),
        ),
    )


def _patch(path: str, *, is_closed: bool | None, mark: str | None) -> Call:
    annotations: Json = {CORDON_ANNOTATION: mark}
    spec: Json = {"unschedulable": is_closed}
    body: dict[str, Json] = {"spec": spec, "metadata": {"annotations": annotations}}
    return Call(verb=Verb.PATCH, path=path, body=body, is_guarded=True)


def _node(snapshot: Snapshot, name: str) -> ApiObject:
    node = snapshot.get("node", name)
    if node is None:
        msg = f"there is no node `{name}`"
        raise NoPlanError(msg)
    return node
