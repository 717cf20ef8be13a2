"""Where a GitOps pin stood before: what Argo CD and Flux note of it, and what is nothing to go back to."""

from typing import Any

import pytest

from firstfault.agent.facts.revisions import change_facts, earlier_revision
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.policies.targets import Target, TargetKind

LISTED = {"entries": [{"id": "research_driver_apps_DaemonSet", "v": "v1"}]}
MANAGED = {"kustomize.toolkit.fluxcd.io/name": "fleet"}


def release(number: int, version: str, status: str, **more: object) -> dict[str, Any]:
    return {"version": number, "chartVersion": version, "status": status, "chartName": "driver", **more}


def helm(
    *history: dict[str, Any], pin: str = "2.0.0", source: str = "HelmRepository", **more: object
) -> ApiObject:
    chart = {"chart": "driver", "version": pin, "sourceRef": {"kind": source, "name": "charts"}}
    status = {"history": list(history), "inventory": LISTED, **more}
    return pinned("HelmRelease", {"chart": {"spec": chart}}, status)


def argo(*synced: str, wanted: str, **more: object) -> ApiObject:
    status = {
        "history": [{"revision": each} for each in synced],
        "sync": {"revision": wanted},
        "resources": [{"kind": "DaemonSet"}],
    }
    return pinned("Application", {"source": {"targetRevision": "main"}}, status, **more)


def pinned(kind: str, spec: dict[str, Any], status: dict[str, Any], **metadata: object) -> ApiObject:
    named: dict[str, Any] = {"name": "stack", "namespace": "gitops", **metadata}
    return ApiObject.raw(kind, {"kind": kind, "metadata": named, "spec": spec, "status": status})


def before(item: ApiObject, *others: ApiObject) -> object:
    snapshot = Snapshot(objects=(item, *others), complete=frozenset({"kustomization"}))
    target = Target(kind=TargetKind.WORKLOAD, name="stack", namespace="gitops", workload_kind=item.kind)
    found = earlier_revision(snapshot, target)
    known = change_facts(snapshot, target).change_revertible
    assert known is (found is not None)
    return found and found.before


NEW, OLD, OLDEST = (
    release(3, "2.0.0", "deployed"),
    release(2, "1.9.0", "superseded"),
    release(1, "1.8.0", "superseded"),
)
HELM = {
    "the one before": (helm(NEW, OLD, OLDEST), "1.9.0"),
    "whatever their order": (helm(OLDEST, OLD, NEW), "1.9.0"),
    "a range was pinned": (helm(NEW, OLD, pin="2.*"), "1.9.0"),
    "one that failed is passed over": (helm(NEW, release(2, "1.9.0", "failed"), OLDEST), "1.8.0"),
    "one whose tests failed is passed over": (
        helm(NEW, release(2, "1.9.0", "superseded", testHooks={"smoke": {"phase": "Failed"}}), OLDEST),
        "1.8.0",
    ),
    "the present one failed": (helm(release(3, "2.0.0", "failed"), OLD), "1.9.0"),
    "the present one is attempted and not yet there": (helm(OLD, lastAttemptedRevision="2.0.0"), "1.9.0"),
    "Flux went back by itself": (
        helm(
            release(4, "1.9.0", "deployed"), release(3, "2.0.0", "failed"), OLD, lastAttemptedRevision="2.0.0"
        ),
        "1.9.0",
    ),
    "only values changed": (helm(NEW, release(2, "2.0.0", "superseded")), None),
    "another chart": (helm(NEW, {**OLD, "chartName": "other"}), None),
    "a chart of a Git repository has no version to pin": (helm(NEW, OLD, source="GitRepository"), None),
    "nothing is noted": (helm(), None),
    "what is noted cannot be read": (helm({"version": "3", "chartVersion": 2}, {"testHooks": []}), None),
    "the pin says it already": (helm(NEW, OLD, pin="1.9.0"), None),
    "a chart by reference has no version of its own": (
        pinned("HelmRelease", {"chartRef": {"kind": "OCIRepository", "name": "x"}}, {"history": [NEW, OLD]}),
        None,
    ),
}


@pytest.mark.parametrize("name", HELM)
def test_a_helm_release(name: str) -> None:
    item, wanted = HELM[name]
    assert before(item) == wanted


ARGO = {
    "the one before": (argo("a", "b", wanted="b"), "a"),
    "the present one could not be synced": (argo("a", "b", wanted="c"), "b"),
    "the same again and again": (argo("b", "b", wanted="b"), None),
    "an ApplicationSet would put it back": (
        argo("a", "b", wanted="b", ownerReferences=[{"kind": "ApplicationSet", "name": "all"}]),
        None,
    ),
    "Flux would put it back": (argo("a", "b", wanted="b", labels=MANAGED), None),
}


@pytest.mark.parametrize("name", ARGO)
def test_an_application(name: str) -> None:
    item, wanted = ARGO[name]
    assert before(item) == wanted


def test_a_helm_release_that_flux_applies_itself_would_be_put_back() -> None:
    item = helm(NEW, OLD)
    managed = pinned(
        "HelmRelease", {"chart": item.value("spec", "chart")}, {"history": [NEW, OLD]}, labels=MANAGED
    )

    assert before(item) == "1.9.0"
    assert before(managed) is None


def kustomization(*ended: tuple[str, str], attempted: str) -> ApiObject:
    rows = [
        {"metadata": {"revision": f"main@sha1:{sha * 40}"}, "lastReconciledStatus": status}
        for sha, status in ended
    ]
    status = {"history": rows, "lastAttemptedRevision": f"main@sha1:{attempted * 40}", "inventory": LISTED}
    return pinned("Kustomization", {"sourceRef": {"kind": "GitRepository", "name": "fleet"}}, status)


WELL, BADLY = "ReconciliationSucceeded", "HealthCheckFailed"


@pytest.mark.parametrize(
    ("item", "labels", "wanted"),
    [
        (kustomization(("b", WELL), ("a", WELL), attempted="b"), {}, "a"),
        (kustomization(("a", WELL), attempted="b"), {}, "a"),
        (kustomization(("c", BADLY), ("b", BADLY), ("a", WELL), attempted="c"), {}, "a"),
        (kustomization(("b", WELL), ("a", BADLY), attempted="b"), {}, None),
        (kustomization(("b", WELL), ("a", WELL), attempted="b"), MANAGED, None),
    ],
)
def test_a_kustomization(item: ApiObject, labels: dict[str, str], wanted: str | None) -> None:
    named = {"name": "fleet", "namespace": "gitops", "labels": labels}
    body: dict[str, Any] = {"kind": "GitRepository", "metadata": named, "spec": {"ref": {"branch": "main"}}}
    found = before(item, ApiObject.raw("GitRepository", body))

    assert found == (wanted and {"branch": "main", "commit": wanted * 40})
