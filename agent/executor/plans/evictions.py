"""One eviction, and restarting a pod, which is one. The eviction API asks the disruption budgets; nothing here deletes."""

from firstfault.agent.executor.steps import Call, Check, NoPlanError, Plan, Step, Test, Verb
from firstfault.agent.facts.pods import grace_s, owner_of
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.policies.actions import Action
from firstfault.policies.proposals import Proposal
from firstfault.tools.kube.resources import PODS
from firstfault.tools.readings import Json


def eviction(pod: ApiObject, within_s: int) -> Step:
    """Return the step that evicts exactly this pod: another one of the same name is left alone."""
    path = PODS.path(pod.namespace, pod.name)
    uid = pod.value("metadata", "uid")
    metadata: Json = {"name": pod.name, "namespace": pod.namespace}
    options: Json = {"preconditions": {"uid": uid}}
    body: dict[str, Json] = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": metadata,
        "deleteOptions": options,
    }
    return Step(
        name=f"evict {pod.namespace}/{pod.name}",
        call=Call(verb=Verb.EVICT, path=f"{path}/eviction", body=body),
        done=(Check(path=path, test=Test.ABSENT, value=uid),),
        accepted=(Check(path=path, test=Test.IS_NOT, field=("metadata", "deletionTimestamp"), value=None),),
        within_s=within_s,
    )


def restart_pod(proposal: Proposal, snapshot: Snapshot) -> Plan:
    """Return the plan that lets a pod's controller make it anew. Raises NoPlanError for one that nothing brings back."""
    target = proposal.target
    pod = snapshot.get("pod", target.name, target.namespace)
    if pod is None:
        msg = f"there is no pod `{target.namespace}/{target.name}`"
        raise NoPlanError(msg)
    if owner_of(pod) is None:
        msg = f"pod `{target.namespace}/{target.name}` has no controller: nothing would bring it back"
        raise NoPlanError(msg)
    within_s = grace_s(pod) + 120
    step = eviction(pod, within_s=within_s)
    return Plan(action=Action.RESTART_POD, target=target.key, steps=(step,), deadline_s=within_s + 60)
