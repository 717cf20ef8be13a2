"""What pods refer to and nobody has: service accounts, secrets, config maps, keys in them, pull secrets. Pure.

Absence counts only where a complete list of that kind was read; messages that say "not found" are the catalogue's work.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firstfault.tools.extract.kube.cluster import Cluster
from firstfault.tools.extract.kube.containers import containers_of, pod_spec_path
from firstfault.tools.extract.kube.marks import Facts, mark
from firstfault.tools.extract.kube.selectors import maps
from firstfault.tools.readings import Json, KubeObject
from firstfault.tools.signals import Signal

_ALWAYS_THERE = frozenset({"default", "kube-root-ca.crt"})
"""Made by controllers in every namespace; a list without them was filtered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One name in a pod spec. path: where it stands. key: the entry that must exist in it, if one is named."""

    kind: str
    name: str
    path: str
    key: str = ""
    is_optional: bool = False
    is_pull_secret: bool = False


def reference_signals(cluster: Cluster) -> Iterator[Signal]:
    """Yield references to objects, or keys of objects, that do not exist."""
    for item in cluster.fullest("pod", "deployment", "statefulset", "daemonset", "job", "cronjob"):
        for reference in references_of(item):
            yield from _judge(item, reference, cluster)


def references_of(item: KubeObject) -> Iterator[Reference]:
    """Yield everything a pod spec refers to by name."""
    base = pod_spec_path(item)
    account = item.text(f"{base}.serviceAccountName")
    if account:
        yield Reference(kind="ServiceAccount", name=account, path=f"{base}.serviceAccountName")
    for index, secret in enumerate(maps(item.get(f"{base}.imagePullSecrets"))):
        path = f"{base}.imagePullSecrets.{index}"
        yield Reference(kind="Secret", name=str(secret.get("name") or ""), path=path, is_pull_secret=True)
    for index, volume in enumerate(maps(item.get(f"{base}.volumes"))):
        yield from _of_volume(volume, f"{base}.volumes.{index}")
    for container in containers_of(item):
        if container.spec_path:
            yield from _of_environment(container.spec, container.spec_path)


def _of_volume(volume: Mapping[str, Json], path: str) -> Iterator[Reference]:
    for source, kind, field in (("secret", "Secret", "secretName"), ("configMap", "ConfigMap", "name")):
        held = volume.get(source)
        if isinstance(held, dict) and held.get(field):
            yield Reference(
                kind=kind,
                name=str(held[field]),
                path=f"{path}.{source}.{field}",
                is_optional=held.get("optional") is True,
            )


def _of_environment(spec: Mapping[str, Json], path: str) -> Iterator[Reference]:
    for index, entry in enumerate(maps(spec.get("env"))):
        source = entry.get("valueFrom")
        if not isinstance(source, dict):
            continue
        for field, kind in (("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")):
            held = source.get(field)
            if isinstance(held, dict) and held.get("name"):
                yield Reference(
                    kind=kind,
                    name=str(held["name"]),
                    key=str(held.get("key") or ""),
                    path=f"{path}.env.{index}.valueFrom.{field}.name",
                    is_optional=held.get("optional") is True,
                )
    for index, entry in enumerate(maps(spec.get("envFrom"))):
        for field, kind in (("secretRef", "Secret"), ("configMapRef", "ConfigMap")):
            held = entry.get(field)
            if isinstance(held, dict) and held.get("name"):
                optional = held.get("optional") is True
                yield Reference(
                    kind=kind,
                    name=str(held["name"]),
                    path=f"{path}.envFrom.{index}.{field}.name",
                    is_optional=optional,
                )


def _judge(item: KubeObject, reference: Reference, cluster: Cluster) -> Iterator[Signal]:
    if reference.is_optional or not reference.name or reference.name in _ALWAYS_THERE:
        return
    facts: Facts = {
        "kind": reference.kind,
        "missing": reference.name,
        "pull_secret": reference.is_pull_secret,
    }
    found = cluster.find(reference.kind, reference.name, item.namespace)
    if found is None:
        if cluster.lists_all(reference.kind):
            yield mark(item, reference.path, "kube.reference.missing", facts=facts, checked=True)
        return
    keys = {*found.mapping("data"), *found.mapping("stringData"), *found.mapping("binaryData")}
    if reference.key and keys and reference.key not in keys:
        yield mark(
            item,
            reference.path,
            "kube.reference.key_missing",
            also=[found.cite("data")],
            key=reference.key,
            facts=facts,
            checked=True,
        )
