"""Evictions: disruption budgets, preconditions, graceful ends."""

from enum import StrEnum

from firstfault.evals.sim.kube_errors import budget_has_no_room, precondition_failed
from firstfault.evals.sim.kube_json import Body, labels_of
from firstfault.evals.sim.kube_kinds import BUILT_IN
from firstfault.evals.sim.kube_store import ObjectStore

PODS = next(kind for kind in BUILT_IN if kind.plural == "pods")
BUDGETS = next(kind for kind in BUILT_IN if kind.plural == "poddisruptionbudgets")


class Ends(StrEnum):
    """How a pod ends once it was evicted: at once, or never by itself (its finalizer or process hangs)."""

    AT_ONCE = "at_once"
    NEVER = "never"


def evict(store: ObjectStore, body: Body, ends: Ends, *, dry: bool) -> Body:
    """Return the Eviction. Raises Refusal: 429 from a budget, 409 for another UID, 404."""
    name, namespace = body["metadata"]["name"], body["metadata"].get("namespace", "")
    with store.lock:
        pod = store.get(PODS, name, namespace)
        wanted = body.get("deleteOptions", {}).get("preconditions", {}).get("uid")
        if wanted and wanted != pod["metadata"]["uid"]:
            raise precondition_failed(resource="pods", name=name, wanted=wanted, found=pod["metadata"]["uid"])
        guards = [budget for budget in store.all(BUDGETS, namespace) if _covers(budget, pod)]
        for budget in guards:
            if budget.get("status", {}).get("disruptionsAllowed", 0) < 1:
                raise budget_has_no_room(str(budget["metadata"]["name"]))
        if not dry and "deletionTimestamp" not in pod["metadata"]:
            for budget in guards:
                budget["status"]["disruptionsAllowed"] -= 1
                store.replace(BUDGETS, budget)
            end(store, pod, ends)
    return {**body, "kind": "Eviction", "apiVersion": "policy/v1"}


def end(store: ObjectStore, pod: Body, ends: Ends) -> None:
    """Take the pod away at once, or mark it as ending and leave it there."""
    name, namespace = pod["metadata"]["name"], pod["metadata"].get("namespace", "")
    if ends is Ends.AT_ONCE:
        store.delete(PODS, name, namespace)
    else:
        pod["metadata"]["deletionTimestamp"] = store.now()
        store.replace(PODS, pod)


def _covers(budget: Body, pod: Body) -> bool:
    labels = labels_of(pod)
    wanted: Body = budget["spec"].get("selector", {}).get("matchLabels", {})
    return all(labels.get(key) == value for key, value in wanted.items())
