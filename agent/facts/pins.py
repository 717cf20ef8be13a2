"""What a GitOps pin stood at before: Argo CD Applications, Flux HelmReleases and Kustomizations. Pure.

A Kustomization has no revision of its own: it follows a GitRepository, whose ref is what can be pinned. That is only done
where nothing else follows the same repository.
"""

from collections.abc import Iterable, Iterator, Mapping

from firstfault.agent.facts.going_back import Earlier, Place
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.tools.readings import Json

PINS = frozenset({"Application", "HelmRelease", "Kustomization"})
"""Kinds that pin what a GitOps controller deploys; their pods are not known from here."""
_STORAGE_KINDS = frozenset({"PersistentVolumeClaim", "PersistentVolume", "StorageClass", "StatefulSet"})
_SHA = "sha1:"


def earlier_pin(snapshot: Snapshot, item: ApiObject) -> Earlier | None:
    """Return where the pin stood before, or None when there is nothing to go back to, or it is not known who else follows."""
    if item.kind == "Application":
        return _earlier(item, ("spec", "source", "targetRevision"), _argo_history(item))
    if item.kind == "HelmRelease":
        return _earlier(item, ("spec", "chart", "spec", "version"), _helm_history(item))
    return _of_repository(snapshot, item)


def _argo_history(item: ApiObject) -> tuple[str, ...]:
    """Return the revisions that an Argo CD application was synced to, oldest first. Source: Argo CD, `status.history`."""
    return tuple(str(row.get("revision")) for row in item.rows("status", "history") if row.get("revision"))


def _helm_history(item: ApiObject) -> tuple[str, ...]:
    """Return the chart versions that a Flux release ran, oldest first. Source: Flux, HelmRelease v2, `status.history`."""
    rows = item.rows("status", "history")
    return tuple(str(row.get("chartVersion")) for row in reversed(rows) if row.get("chartVersion"))


def _earlier(item: ApiObject, where: tuple[str, ...], history: tuple[str, ...]) -> Earlier | None:
    now, before = item.value(*where), _before_last(history)
    if before is None or now is None:
        return None
    return Earlier(
        field=where,
        before=before,
        now=now,
        touches_storage=_touches_storage(item),
        name=before,
        place=_place_of(item),
    )


def _before_last(history: tuple[str, ...]) -> str | None:
    """Return the last revision that differs from the newest."""
    return next((each for each in reversed(history[:-1]) if each != history[-1]), None)


def _of_repository(snapshot: Snapshot, item: ApiObject) -> Earlier | None:
    """Return the commit that a Kustomization applied before. Source: Flux, GitRepository v1, `spec.ref.commit` comes first."""
    revision = _before_last(_applied(item))
    commit = revision.rpartition(_SHA)[2] if revision and _SHA in revision else None
    source = source_of(item)
    repository = snapshot.get("gitrepository", source[1], source[0]) if source else None
    followers = snapshot.all("kustomization")
    if commit is None or repository is None or followers is None:
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
        place=_place_of(repository),
    )


def _applied(item: ApiObject) -> tuple[str, ...]:
    """Return the revisions that a Kustomization applied, oldest first, with the one it tried last at the end.

    Source: Flux, Kustomization v1, `status.history` (newest first), `lastAppliedRevision`, `lastAttemptedRevision`.
    """
    rows = (row.get("metadata") for row in reversed(item.rows("status", "history")))
    noted = [str(row["revision"]) for row in rows if isinstance(row, dict) and row.get("revision")]
    last = (item.value("status", name) for name in ("lastAppliedRevision", "lastAttemptedRevision"))
    return (*noted, *(text for text in last if isinstance(text, str) and text))


def source_of(item: ApiObject) -> tuple[str, str] | None:
    """Return namespace and name of the GitRepository that a Kustomization follows, or None for another kind of source."""
    kind, name = item.value("spec", "sourceRef", "kind"), item.value("spec", "sourceRef", "name")
    namespace = item.value("spec", "sourceRef", "namespace") or item.namespace
    return (str(namespace or ""), str(name)) if kind == "GitRepository" and name else None


def _place_of(item: ApiObject) -> Place:
    return Place(kind=item.kind, name=item.name, namespace=item.namespace)


def _touches_storage(item: ApiObject) -> bool | None:
    """Return whether storage is among what the pin deploys; None when the controller does not list it.

    Source: Argo CD, `status.resources`; Flux, `status.inventory.entries`, whose ids end in `_group_Kind`.
    """
    listed = ("status", "resources") if item.kind == "Application" else ("status", "inventory", "entries")
    if not isinstance(item.value(*listed), list):
        return None
    return not _STORAGE_KINDS.isdisjoint(_kinds(item.rows(*listed)))


def _kinds(rows: Iterable[Mapping[str, Json]]) -> Iterator[str]:
    for row in rows:
        yield str(row.get("kind") or str(row.get("id", "")).rpartition("_")[2])
