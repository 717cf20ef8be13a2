"""What a workload or a GitOps pin ran before: the earlier revision, and whether going back would touch storage. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from firstfault.agent.facts.going_back import Earlier, is_put_back, place_of
from firstfault.agent.facts.pins import PINS, earlier_pin
from firstfault.agent.facts.snapshot import ApiObject, Snapshot
from firstfault.policies.facts import ChangeFacts
from firstfault.policies.targets import Target, TargetKind
from firstfault.tools.readings import Json

REVISION = "deployment.kubernetes.io/revision"
"""Source: Kubernetes, Deployments, annotation of a ReplicaSet."""
_HASHES = ("pod-template-hash", "controller-revision-hash")
_STORAGE = ("volumes", "volumeClaimTemplates")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Template:
    name: str
    order: int
    body: Mapping[str, Json] = field(default_factory=dict[str, Json])


def change_facts(snapshot: Snapshot, target: Target) -> ChangeFacts:
    """Return what is known of going back; unknown when the target or its revisions were not seen."""
    if target.kind is not TargetKind.WORKLOAD:
        return ChangeFacts()
    item = _object(snapshot, target)
    if item is None or not item.whole or not _revisions_known(snapshot, item):
        return ChangeFacts()
    found = earlier_revision(snapshot, target)
    return ChangeFacts(
        observed_at=snapshot.observed_at,
        change_revertible=found is not None,
        change_touches_storage=item.kind == "StatefulSet"
        or (False if found is None else found.touches_storage),
    )


def _revisions_known(snapshot: Snapshot, item: ApiObject) -> bool:
    needed = _NEEDED.get(item.kind)
    return needed is None or snapshot.all(needed) is not None


_NEEDED = {"Deployment": "replicaset", "DaemonSet": "controllerrevision", "Kustomization": "kustomization"}
"""Kinds of which all must be known before it is known that there is nothing to go back to."""


def earlier_revision(snapshot: Snapshot, target: Target) -> Earlier | None:
    """Return the revision before the present one, or None when there is none that we may go back to."""
    item = _object(snapshot, target)
    if item is None:
        return None
    if item.kind in {"Deployment", "DaemonSet"} and not is_put_back(item):
        return _of_workload(snapshot, item)
    return earlier_pin(snapshot, item) if item.kind in PINS else None


def _object(snapshot: Snapshot, target: Target) -> ApiObject | None:
    kind = target.workload_kind
    return snapshot.get(kind, target.name, target.namespace) if kind else None


def _of_workload(snapshot: Snapshot, item: ApiObject) -> Earlier | None:
    templates = _templates(snapshot, item)
    if len(templates) < 2:  # noqa: PLR2004  # the present one and one before
        return None
    before, now = _clean(templates[-2].body), item.value("spec", "template")
    present: Mapping[str, Json] = item.part("spec", "template") or {}
    return Earlier(
        field=("spec", "template"),
        before=before,
        now=now,
        touches_storage=any(_in_spec(before, part) != _in_spec(present, part) for part in _STORAGE),
        name=templates[-2].name,
        place=place_of(item),
    )


def _templates(snapshot: Snapshot, item: ApiObject) -> list[_Template]:
    """Return the pod templates of an object's revisions, the present one last."""
    is_deployment = item.kind == "Deployment"
    found: list[_Template] = []
    for owned in snapshot.by_kind.get("replicaset" if is_deployment else "controllerrevision", ()):
        if not any(
            row.get("uid") == item.value("metadata", "uid")
            for row in owned.rows("metadata", "ownerReferences")
        ):
            continue
        order = (owned.annotations or {}).get(REVISION) if is_deployment else owned.value("revision")
        place = ("spec", "template") if is_deployment else ("data", "spec", "template")
        body = owned.value(*place)
        if isinstance(body, dict) and str(order).isdecimal():
            found.append(_Template(name=owned.name, order=int(str(order)), body=body))
    return sorted(found, key=lambda template: template.order)


def _clean(template: Mapping[str, Json]) -> dict[str, Json]:
    """Return the template as it was written: without the marks of the revision and of strategic patches."""
    body = {key: value for key, value in template.items() if key != "$patch"}
    metadata = body.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("labels"), dict):
        labels = cast("dict[str, Json]", metadata["labels"])
        kept: dict[str, Json] = {key: value for key, value in labels.items() if key not in _HASHES}
        body["metadata"] = {**metadata, "labels": kept}
    return body


def _in_spec(template: Mapping[str, Json], part: str) -> Json:
    spec = template.get("spec")
    return spec.get(part) if isinstance(spec, dict) else None
