"""What a GitOps pin stood at before: Argo CD Applications, Flux HelmReleases and Kustomizations. Pure.

A Kustomization has no revision of its own: it follows a GitRepository, whose ref is what can be pinned. That is only done
where nothing else follows the same repository.
"""

from collections.abc import Iterable, Iterator, Mapping

from firstfault.agent.facts.going_back import Earlier, is_put_back, place_of
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.tools.readings import Json

PINS = frozenset({"Application", "HelmRelease", "Kustomization"})
"""Kinds that pin what a GitOps controller deploys; their pods are not known from here."""
_STORAGE_KINDS = frozenset({"PersistentVolumeClaim", "PersistentVolume", "StorageClass", "StatefulSet"})
_SHA = "sha1:"
_RAN_WELL = frozenset({"deployed", "superseded"})
_APPLIED_WELL = "ReconciliationSucceeded"


def earlier_pin(snapshot: Snapshot, item: ApiObject) -> Earlier | None:
    """Return where the pin stood before, or None when there is nothing to go back to, or it is not known who else follows."""
    if item.kind == "Kustomization":
        return _of_repository(snapshot, item)
    if is_put_back(item):
        return None
    if item.kind == "Application":
        return _earlier(item, ("spec", "source", "targetRevision"), _before_last(_argo_history(item)))
    return _earlier(item, ("spec", "chart", "spec", "version"), _helm_before(item))


def _argo_history(item: ApiObject) -> tuple[str, ...]:
    """Return the revisions that an Argo CD application was synced to, oldest first, with the one it is to have at the end.

    Source: Argo CD, `status.history` (what was synced well, oldest first), `status.sync.revision` (what it compares with).
    """
    noted = [str(row["revision"]) for row in item.rows("status", "history") if row.get("revision")]
    wanted = item.value("status", "sync", "revision")
    return (*noted, wanted) if isinstance(wanted, str) and wanted else tuple(noted)


def _helm_before(item: ApiObject) -> str | None:
    """Return the chart version that ran well before the present one, of the same chart; None when there is none.

    A snapshot that failed, or whose tests did, is nothing to go back to; neither is the version that is attempted now, which
    Flux may have rolled back from already. Only charts of a HelmRepository go by their version.
    Source: Flux, HelmRelease v2: `status.history` by `version`, the highest is the latest; `deployed` and `superseded` ran
    well; `status.lastAttemptedRevision`; `spec.chart.spec.version` is ignored for GitRepository and Bucket.
    """
    rows = sorted(item.rows("status", "history"), key=_release_number, reverse=True)
    source = item.value("spec", "chart", "spec", "sourceRef", "kind")
    if not rows or source != "HelmRepository":
        return None
    present = item.value("status", "lastAttemptedRevision") or rows[0].get("chartVersion")
    good = (row for row in rows if row.get("status") in _RAN_WELL and not _has_failed_test(row))
    return next(
        (
            str(row["chartVersion"])
            for row in good
            if row.get("chartVersion")
            and row.get("chartVersion") != present
            and row.get("chartName") == rows[0].get("chartName")
        ),
        None,
    )


def _release_number(row: Mapping[str, Json]) -> int:
    number = row.get("version")
    return number if isinstance(number, int) else 0


def _has_failed_test(row: Mapping[str, Json]) -> bool:
    hooks = row.get("testHooks")
    tests = hooks.values() if isinstance(hooks, dict) else ()
    return any(isinstance(test, dict) and test.get("phase") == "Failed" for test in tests)


def _earlier(item: ApiObject, where: tuple[str, ...], before: str | None) -> Earlier | None:
    now = item.value(*where)
    if before is None or now is None or before == now:
        return None
    return Earlier(
        field=where,
        before=before,
        now=now,
        touches_storage=_touches_storage(item),
        name=before,
        place=place_of(item),
    )


def _before_last(history: tuple[str, ...]) -> str | None:
    """Return the last revision that differs from the newest."""
    return next((each for each in reversed(history[:-1]) if each != history[-1]), None)


def _of_repository(snapshot: Snapshot, item: ApiObject) -> Earlier | None:
    """Return the commit that a Kustomization applied before. Source: Flux, GitRepository v1, `spec.ref.commit` comes first."""
    revision = _kustomization_before(item)
    commit = revision.rpartition(_SHA)[2] if revision and _SHA in revision else None
    source = source_of(item)
    repository = snapshot.get("gitrepository", source[1], source[0]) if source else None
    followers = snapshot.all("kustomization")
    if commit is None or repository is None or followers is None or is_put_back(repository):
        return None
    if sum(source_of(each) == source for each in followers) != 1:
        return None
    now = repository.value("spec", "ref")
    kept: dict[str, Json] = dict(now) if isinstance(now, dict) else {}
    return Earlier(
        field=("spec", "ref"),
        before={**kept, "commit": commit},
        now=now,
        touches_storage=_touches_storage(item),
        name=revision or commit,
        place=place_of(repository),
    )


def _kustomization_before(item: ApiObject) -> str | None:
    """Return the revision that a Kustomization last applied well before the present one, or None.

    Source: Flux, Kustomization v1, `status.history` (newest first, with how each ended), `lastAttemptedRevision` (the present
    one, applied or not), `lastAppliedRevision`.
    """
    said = (item.value("status", name) for name in ("lastAttemptedRevision", "lastAppliedRevision"))
    present = next((text for text in said if text), None)
    for row in item.rows("status", "history"):
        noted = row.get("metadata")
        revision = noted.get("revision") if isinstance(noted, dict) else None
        if not isinstance(revision, str):
            continue
        present = present or revision
        if revision != present and row.get("lastReconciledStatus") == _APPLIED_WELL:
            return revision
    return None


def source_of(item: ApiObject) -> tuple[str, str] | None:
    """Return namespace and name of the GitRepository that a Kustomization follows, or None for another kind of source."""
    kind, name = item.value("spec", "sourceRef", "kind"), item.value("spec", "sourceRef", "name")
    namespace = item.value("spec", "sourceRef", "namespace") or item.namespace
    return (str(namespace or ""), str(name)) if kind == "GitRepository" and name else None


def _touches_storage(item: ApiObject) -> bool | None:
    """Return whether storage is among what the pin deploys; None when the controller does not list it.

    Source: Argo CD, `status.resources`; Flux, `status.inventory.entries`, ids `namespace_name_group_Kind`: of Kustomizations
    always, of HelmReleases from helm-controllers of 2026 on; older ones do not tell.
    """
    listed = ("status", "resources") if item.kind == "Application" else ("status", "inventory", "entries")
    if not isinstance(item.value(*listed), list):
        return None
    return not _STORAGE_KINDS.isdisjoint(_kinds(item.rows(*listed)))


def _kinds(rows: Iterable[Mapping[str, Json]]) -> Iterator[str]:
    for row in rows:
        yield str(row.get("kind") or str(row.get("id", "")).rpartition("_")[2])
