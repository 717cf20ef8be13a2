"""Restarting a training job from its checkpoint: suspended, stopped, resumed, by its own controller.

The bad machine is kept out because it is cordoned: a step makes sure of it before the job goes on. A job that a queue admitted
is put down and up through its Workload, because there the queue owns `suspend`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from firstfault.agent.executor.plans.identity import same_object
from firstfault.agent.executor.steps import Call, Check, NoPlanError, Plan, Step, Test, Verb
from firstfault.agent.facts.pods import job_of
from firstfault.agent.facts.settings import FactSettings
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.policies.actions import Action
from firstfault.policies.parameters import AVOID_NODE
from firstfault.policies.proposals import Proposal
from firstfault.tools.kube.door import Resource
from firstfault.tools.kube.resources import JOB_SETS, JOBS, MPI_JOBS, NODES, PODS, PYTORCH_JOBS, WORKLOADS
from firstfault.tools.readings import Json

_SUSPEND: Mapping[str, tuple[Resource, tuple[str, ...]]] = {
    "JobSet": (JOB_SETS, ("spec", "suspend")),
    "Job": (JOBS, ("spec", "suspend")),
    "PyTorchJob": (PYTORCH_JOBS, ("spec", "runPolicy", "suspend")),
    "MPIJob": (MPI_JOBS, ("spec", "runPolicy", "suspend")),
}
"""Source: Kubernetes Job; JobSet v1alpha2; Kubeflow training operator v1 and MPI operator v2beta1, `runPolicy.suspend`."""
MARK = ("metadata", "annotations", "firstfault.dev/suspended")
_QUEUE = "kueue.x-k8s.io/queue-name"


def restart_job(proposal: Proposal, decision_id: str, snapshot: Snapshot, settings: FactSettings) -> Plan:
    """Return the plan.

    Raises NoPlanError for a kind that cannot be suspended, when its pods are not all known, or when it is suspended already.
    """
    target = proposal.target
    kind = target.workload_kind or ""
    if kind not in _SUSPEND:
        msg = f"a job of kind `{kind or 'unknown'}` cannot be restarted by its controller"
        raise NoPlanError(msg)
    job = snapshot.get(kind, target.name, target.namespace)
    pods = snapshot.all("pod")
    if job is None or pods is None:
        msg = f"job `{target.namespace}/{target.name}` or its pods are not known"
        raise NoPlanError(msg)
    resource, field = _SUSPEND[kind]
    switched, path, down = job, resource.path(target.namespace, target.name), True
    if (job.labels or {}).get(_QUEUE):
        switched = _workload(job, snapshot)
        path, field, down = WORKLOADS.path(target.namespace, switched.name), ("spec", "active"), False
    if switched.value(*field) is down:
        msg = f"job `{target.namespace}/{target.name}` is suspended already: who did that resumes it"
        raise NoPlanError(msg)
    mine = [pod for pod in pods if job_of(pod, settings) == f"{target.namespace}/{target.name}"]
    switch = _Switch(path=path, field=field, same=same_object(path, switched), down=down, mark=decision_id)
    steps = (
        switch.off(f"suspend {target.name}"),
        *(_gone(pod) for pod in mine),
        *_kept_out(proposal),
        switch.on(f"resume {target.name}"),
    )
    return Plan(action=Action.RESTART_JOB_FROM_CHECKPOINT, target=target.key, steps=steps, deadline_s=1800)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Switch:
    """The field that suspends a job, in exactly one object. mark: ours on a suspension: somebody else's is left alone.

    down: the value that suspends.
    """

    path: str
    field: tuple[str, ...]
    same: Check
    down: bool
    mark: str

    def off(self, name: str) -> Step:
        """Return the step that suspends."""
        going = Check(path=self.path, test=Test.IS_NOT, field=self.field, value=self.down)
        return Step(
            name=name,
            before=(self.same, going),
            call=self._patch(to=self.down, mark=self.mark),
            done=self._is(to=self.down, mark=self.mark),
            undo=self._patch(to=not self.down, mark=None),
        )

    def on(self, name: str) -> Step:
        """Return the step that lets it go on; only what we suspended."""
        return Step(
            name=name,
            before=self._is(to=self.down, mark=self.mark),
            call=self._patch(to=not self.down, mark=None),
            done=self._is(to=not self.down, mark=None),
        )

    def _is(self, *, to: bool, mark: str | None) -> tuple[Check, ...]:
        return (
            Check(path=self.path, test=Test.IS, field=self.field, value=to),
            Check(path=self.path, test=Test.IS, field=MARK, value=mark),
        )

    def _patch(self, *, to: bool, mark: str | None) -> Call:
        annotations: Json = {MARK[-1]: mark}
        metadata: Json = {"annotations": annotations}
        body: dict[str, Json] = {**_nested(self.field, value=to), "metadata": metadata}
        return Call(verb=Verb.PATCH, path=self.path, body=body, is_guarded=True)


def _gone(pod: ApiObject) -> Step:
    path = PODS.path(pod.namespace, pod.name)
    uid = pod.value("metadata", "uid")
    return Step(
        name=f"{pod.namespace}/{pod.name} has stopped",
        done=(Check(path=path, test=Test.ABSENT, value=uid),),
        within_s=900,
    )


def _kept_out(proposal: Proposal) -> tuple[Step, ...]:
    """Return the step that makes sure the bad machine is closed, drained already or not; none when none is named."""
    name = proposal.parameters.get(AVOID_NODE)
    if not name:
        return ()
    closed = Check(path=NODES.path(name=name), test=Test.IS, field=("spec", "unschedulable"), value=True)
    return (Step(name=f"{name} is kept out", done=(closed,), within_s=5),)


def _workload(job: ApiObject, snapshot: Snapshot) -> ApiObject:
    uid = job.value("metadata", "uid")
    for item in snapshot.by_kind.get("workload", ()):
        if any(owner.get("uid") == uid for owner in item.rows("metadata", "ownerReferences")):
            return item
    msg = f"job `{job.name}` is in a queue and its Workload is not known"
    raise NoPlanError(msg)


def _nested(field: tuple[str, ...], *, value: bool) -> dict[str, Json]:
    body: Json = value
    for part in reversed(field):
        body = {part: body}
    return body if isinstance(body, dict) else {}
