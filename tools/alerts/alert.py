"""One alert: what fires, since when, and what it is about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from importlib import resources

import yaml
from pydantic import TypeAdapter

from firstfault.tools.entities import EntityKind, EntityRef

LabelMap = Mapping[str, tuple[str, ...]]
"""What is looked for → the alert labels that may name it, the first that is there wins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One alert as Alertmanager sent it.

    key: fingerprint and start together name one occurrence: a re-delivery has the same key. starts_at, ends_at: aware
    UTC; ends_at is None while it fires. group: what Alertmanager grouped it by.
    """

    fingerprint: str
    starts_at: datetime
    is_firing: bool
    labels: Mapping[str, str]
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    ends_at: datetime | None = None
    link: str | None = None
    group: str = ""

    @property
    def key(self) -> str:
        """Return what names this occurrence."""
        return f"{self.fingerprint}@{self.starts_at.isoformat()}"

    @property
    def name(self) -> str:
        """Return the name of the rule."""
        return self.labels.get("alertname", "")

    @property
    def says(self) -> str:
        """Return the alert in one sentence: its summary, else its description, else its name."""
        told = self.annotations.get("summary") or self.annotations.get("description") or self.name
        return " ".join(told.split())


@lru_cache(maxsize=1)
def default_labels() -> LabelMap:
    """Return the shipped map."""
    text = (resources.files("firstfault.tools.alerts") / "label_map.yaml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, tuple[str, ...]]).validate_python(yaml.safe_load(text))


def named(alert: Alert, what: str, labels: LabelMap | None = None) -> str | None:
    """Return what the alert's labels say of `what` (node, pod, cluster, channel …), or None."""
    wanted = (labels or default_labels()).get(what, ())
    return next((alert.labels[name] for name in wanted if alert.labels.get(name)), None)


_KINDS = (
    ("switch", EntityKind.SWITCH),
    ("rack", EntityKind.RACK),
    ("rail", EntityKind.SWITCH),
    ("node", EntityKind.NODE),
    ("workload", EntityKind.WORKLOAD),
    ("pod", EntityKind.POD),
    ("gpu", EntityKind.GPU),
)


def entities(alert: Alert, labels: LabelMap | None = None) -> tuple[EntityRef, ...]:
    """Return the things the alert is about, the widest first."""
    cluster, node, namespace = (named(alert, what, labels) for what in ("cluster", "node", "namespace"))
    return tuple(
        EntityRef(
            kind=kind,
            name=name,
            cluster=cluster,
            namespace=namespace if kind in {EntityKind.POD, EntityKind.WORKLOAD} else None,
            node=node if kind in {EntityKind.POD, EntityKind.GPU} else None,
        )
        for what, kind in _KINDS
        if (name := named(alert, what, labels)) is not None
    )


def scope_keys(alert: Alert, labels: LabelMap | None = None) -> frozenset[str]:
    """Return what makes two alerts one incident: equal cluster and any of these (switch, rack, node, workload, rule).

    A GPU or pod is part of its node or workload and no scope of its own.
    """
    cluster = named(alert, "cluster", labels) or ""
    wide = {EntityKind.SWITCH, EntityKind.RACK, EntityKind.NODE, EntityKind.WORKLOAD}
    found = {
        f"{cluster}/{e.kind}/{e.namespace or ''}/{e.name}" for e in entities(alert, labels) if e.kind in wide
    }
    return frozenset(found | {f"{cluster}/rule/{alert.name}"})
