"""A change is undone in the object that it was made to, where its record names it; else the gate says what is not known."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.agent.facts.targets import target_of
from firstfault.agent.recommend.aiming import changed_object
from firstfault.policies import Action, Outcome
from firstfault.policies.actions import SPECS
from firstfault.policies.targets import Target, TargetKind
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.extract.changes import change_signals
from firstfault.tools.kinds import Kind
from firstfault.tools.readings import Change
from tests.policies.worlds import gate, proposal
from tests.tools.readers.kube.test_histories import AT, changes_of

MISSING = "facts.missing.changed_object"
_AT = {"name": "stack", "namespace": "gitops"}
RELEASE = {"chartName": "driver", "chartVersion": "2", "lastDeployed": AT, "status": "deployed", "version": 2}


def controlled(kind: str) -> dict[str, Any]:
    owner: dict[str, Any] = {"kind": kind, "name": "driver", "uid": "u", "controller": True}
    of: dict[str, Any] = {
        "name": "driver-2",
        "namespace": "gpu",
        "creationTimestamp": AT,
        "ownerReferences": [owner],
    }
    if kind == "Deployment":
        of["annotations"] = {"deployment.kubernetes.io/revision": "2"}
        return {"kind": "ReplicaSet", "apiVersion": "apps/v1", "metadata": of, "spec": {}}
    return {"kind": "ControllerRevision", "apiVersion": "apps/v1", "metadata": of, "revision": 2}


RECORDS: dict[str, dict[str, Any]] = {
    "Deployment gpu/driver": controlled("Deployment"),
    "DaemonSet gpu/driver": controlled("DaemonSet"),
    "Application gitops/stack": {
        "kind": "Application",
        "apiVersion": "argoproj.io/v1alpha1",
        "metadata": _AT,
        "status": {"history": [{"revision": "abc", "deployedAt": AT}]},
    },
    "HelmRelease gitops/stack": {
        "kind": "HelmRelease",
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "metadata": _AT,
        "status": {"history": [RELEASE]},
    },
    "Kustomization gitops/stack": {
        "kind": "Kustomization",
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "metadata": _AT,
        "status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": AT}]},
    },
}


@pytest.mark.parametrize("name", RECORDS)
def test_what_an_object_tells_of_itself_is_aimed_at_that_object(name: str) -> None:
    (told,) = change_signals(changes_of(RECORDS[name]))
    target = target_of(changed_object(told), Snapshot())

    assert f"{target.workload_kind} {target.namespace}/{target.name}" == name
    assert target.kind is TargetKind.WORKLOAD
    assert MISSING not in gate(proposal(Action.ROLLBACK_CHANGE, target=target)).determining


def of(*scope: EntityRef) -> EntityRef:
    document = Document(
        path="notes", kind=Kind.OPERATOR_NOTES, body=MemoryBody(b"x\n"), source="test", query="notes"
    )
    change = Change(what="helm upgrade driver", document=document, line=1, line_end=1, scope=scope)
    return changed_object(next(iter(change_signals([change]))))


NAMED = EntityRef(kind=EntityKind.WORKLOAD, name="driver")
UNNAMED: dict[str, EntityRef] = {
    "a record in words": of(),
    "a node": of(EntityRef(kind=EntityKind.NODE, name="n1")),
    "a configuration": of(EntityRef(kind=EntityKind.CONFIG, name="settings", namespace="gpu")),
    "two objects": of(NAMED, EntityRef(kind=EntityKind.WORKLOAD, name="other")),
    "an object of an unknown namespace": of(NAMED),
    "a change": EntityRef(kind=EntityKind.CHANGE, name="new driver everywhere"),
}


@pytest.mark.parametrize("name", UNNAMED)
def test_what_names_no_object_is_denied_and_it_says_what_is_missing(name: str) -> None:
    target = target_of(UNNAMED[name], Snapshot())
    said = gate(proposal(Action.ROLLBACK_CHANGE, target=target))

    assert said.would_be is Outcome.DENY
    assert MISSING in said.determining
    assert any("ask who made it" in reason for reason in said.reasons)
    assert not any(name.startswith("facts.missing.change_") for name in said.determining)


def test_the_only_object_of_that_name_is_the_one_and_of_two_neither() -> None:
    one = ApiObject.raw(
        "HelmRelease", {"kind": "HelmRelease", "metadata": {"name": "driver", "namespace": "gpu"}}
    )
    two = ApiObject.raw(
        "Deployment", {"kind": "Deployment", "metadata": {"name": "driver", "namespace": "web"}}
    )

    alone = target_of(of(NAMED), Snapshot(objects=(one,)))
    assert (alone.workload_kind, alone.namespace) == ("HelmRelease", "gpu")
    assert target_of(of(NAMED), Snapshot(objects=(one, two))).namespace is None


def test_an_object_of_the_same_name_and_another_kind_is_not_taken_for_it() -> None:
    there = ApiObject.raw("Deployment", {"kind": "Deployment", "metadata": dict(_AT)})
    aimed = EntityRef(kind=EntityKind.CONTROLLER, name="stack", namespace="gitops", api_kind="HelmRelease")

    assert target_of(aimed, Snapshot(objects=(there,))).workload_kind == "HelmRelease"


ENTITIES = st.builds(
    EntityRef,
    kind=st.sampled_from(EntityKind),
    name=st.text(max_size=20),
    namespace=st.none() | st.text(max_size=10),
    node=st.none() | st.just("n1"),
    api_kind=st.none() | st.sampled_from(["Deployment", "HelmRelease", "ConfigMap", "Secret", ""]),
)


@given(entity=ENTITIES)
def test_no_rollback_is_ever_aimed_at_a_change(entity: EntityRef) -> None:
    target = target_of(entity, Snapshot())
    said = gate(proposal(Action.ROLLBACK_CHANGE, target=target))

    assert target.kind is not TargetKind.CHANGE
    if target.kind is not TargetKind.WORKLOAD or not target.name or not target.namespace:
        assert said.would_be is Outcome.DENY


def test_a_kept_decision_on_a_change_is_denied() -> None:
    target = Target(kind=TargetKind.CHANGE, name="new driver")
    said = gate(proposal(Action.ROLLBACK_CHANGE, target=target))

    assert TargetKind.CHANGE not in SPECS[Action.ROLLBACK_CHANGE].targets
    assert said.would_be is Outcome.DENY
    assert {"target.wrong_kind", MISSING} <= set(said.determining)
