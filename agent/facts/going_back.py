"""What can be gone back to: a field of one object, what stood there, and what stands there now."""

from dataclasses import dataclass

from firstfault.agent.facts.snapshot import ApiObject
from firstfault.tools.readings import Json

_TRACKED_BY = (
    "argocd.argoproj.io/tracking-id",
    "kustomize.toolkit.fluxcd.io/name",
    "helm.toolkit.fluxcd.io/name",
)
"""Marks of a GitOps controller. Source: Argo CD, resource tracking; Flux, labels of Kustomizations and HelmReleases."""
_MAKERS = frozenset({"ApplicationSet", "Application", "Kustomization", "HelmRelease"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The object that is written to, and no namesake of it."""

    kind: str
    name: str
    namespace: str | None
    uid: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What to go back to. field: where it is written in the object at `place`; before, now: what stood and what stands there.

    touches_storage: whether volumes would change; None when it is not known, which denies.
    """

    field: tuple[str, ...]
    before: Json
    now: Json
    touches_storage: bool | None
    name: str
    place: Place


def place_of(item: ApiObject) -> Place:
    """Return the object as the place that is written to."""
    return Place(kind=item.kind, name=item.name, namespace=item.namespace, uid=item.value("metadata", "uid"))


def is_put_back(item: ApiObject) -> bool:
    """Return whether a GitOps controller manages the object: what we wrote would be undone at once."""
    marks = {**(item.labels or {}), **(item.annotations or {})}
    owners = item.rows("metadata", "ownerReferences")
    return any(key in marks for key in _TRACKED_BY) or any(owner.get("kind") in _MAKERS for owner in owners)
