"""Going back to the revision before: a Deployment's or DaemonSet's template, an Argo CD or Flux pin. Never storage.

The pin of a Flux Kustomization is the ref of the GitRepository that it alone follows.
"""

from collections.abc import Mapping

from firstfault.agent.executor.steps import Call, Check, NoPlanError, Plan, Step, Test, Verb
from firstfault.agent.facts.going_back import Earlier
from firstfault.agent.facts.pins import PINS
from firstfault.agent.facts.revisions import earlier_revision
from firstfault.agent.facts.snapshot import Snapshot
from firstfault.policies.actions import Action
from firstfault.policies.proposals import Proposal
from firstfault.tools.kube.door import Resource
from firstfault.tools.kube.resources import (
    APPLICATIONS,
    DAEMON_SETS,
    DEPLOYMENTS,
    GIT_REPOSITORIES,
    HELM_RELEASES,
)
from firstfault.tools.readings import Json

_KINDS: Mapping[str, Resource] = {
    "Deployment": DEPLOYMENTS,
    "DaemonSet": DAEMON_SETS,
    "Application": APPLICATIONS,
    "HelmRelease": HELM_RELEASES,
    "GitRepository": GIT_REPOSITORIES,
}
MARK = ("metadata", "annotations", "firstfault.dev/rolled-back")


def rollback(proposal: Proposal, decision_id: str, snapshot: Snapshot) -> Plan:
    """Return the plan. Raises NoPlanError when there is nothing to go back to, or when storage would be touched."""
    target = proposal.target
    found = earlier_revision(snapshot, target)
    resource = None if found is None else _KINDS.get(found.place.kind)
    if resource is None or found is None:
        msg = f"`{target.namespace}/{target.name}` has no earlier revision that we may go back to"
        raise NoPlanError(msg)
    if found.touches_storage is not False:
        would = "may" if found.touches_storage is None else "would"
        msg = f"going back to `{found.name}` {would} change volumes: storage is never rolled back"
        raise NoPlanError(msg)
    path = resource.path(found.place.namespace, found.place.name)
    turned = Step(
        name=f"{target.name} back to {found.name}",
        before=(
            Check(path=path, test=Test.IS, field=("metadata", "uid"), value=found.place.uid),
            Check(path=path, test=Test.IS, field=found.field, value=found.now),
        ),
        call=_patch(path, found, found.before, decision_id),
        done=(Check(path=path, test=Test.IS, field=MARK, value=decision_id),),
        undo=_patch(path, found, found.now, None),
    )
    steps = (turned,) if target.workload_kind in PINS else (turned, _rolled_out(target.name, path))
    return Plan(action=Action.ROLLBACK_CHANGE, target=target.key, steps=steps, deadline_s=1800)


def _rolled_out(name: str, path: str) -> Step:
    return Step(name=f"{name} is rolled out", done=(Check(path=path, test=Test.ROLLED_OUT),), within_s=1500)


def _patch(path: str, found: Earlier, value: Json, mark: str | None) -> Call:
    """Return a merge patch that leaves exactly `value`: keys that stand there and not in it are taken away."""
    body: Json = _replacing(found.now if value == found.before else found.before, value)
    for part in reversed(found.field):
        body = {part: body}
    whole: dict[str, Json] = dict(body) if isinstance(body, dict) else {}
    annotations: Json = {MARK[-1]: mark}
    return Call(
        verb=Verb.PATCH, path=path, body={**whole, "metadata": {"annotations": annotations}}, is_guarded=True
    )


def _replacing(present: Json, wanted: Json) -> Json:
    if not isinstance(present, dict) or not isinstance(wanted, dict):
        return wanted
    gone: dict[str, Json] = dict.fromkeys(set(present) - set(wanted))
    return {**{key: _replacing(present.get(key), value) for key, value in wanted.items()}, **gone}
