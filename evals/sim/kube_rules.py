"""What a server checks before it takes an object: names, required fields, what may not change."""

import re

from firstfault.evals.sim.kube_json import Body, as_body
from firstfault.evals.sim.kube_kinds import ServedKind

Fault = tuple[str, str, str]
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
NODE_SPEC_FIELDS = frozenset(
    {"podCIDR", "podCIDRs", "providerID", "unschedulable", "taints", "configSource", "externalID"}
)


def faults_of(kind: ServedKind, body: Body, before: Body | None = None) -> list[Fault]:
    """Return what is wrong with an object, as (field, cause, message); nothing when it is taken."""
    faults: list[Fault] = []
    name = body["metadata"].get("name", "")
    if _NAME.fullmatch(name) is None:
        rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'"
        faults.append(("metadata.name", "FieldValueInvalid", f'Invalid value: "{name}": {rule}'))
    if kind.plural == "pods" and not body.get("spec", {}).get("containers"):
        faults.append(("spec.containers", "FieldValueRequired", "Required value"))
    if before is not None:
        faults += _unchangeable(kind, body, before)
    return faults


def _unchangeable(kind: ServedKind, body: Body, before: Body) -> list[Fault]:
    """A Job's template may change only while it is suspended. Source: Kubernetes, Jobs, Mutable Scheduling Directives."""
    if kind.kind not in {"Job", "JobSet"} or before["spec"].get("suspend"):
        return []
    places = [
        key for key in ("template", "replicatedJobs") if body["spec"].get(key) != before["spec"].get(key)
    ]
    return [(f"spec.{key}", "FieldValueInvalid", "Invalid value: field is immutable") for key in places]


def unknown_fields(kind: ServedKind, patch: Body) -> list[str]:
    """Return the fields that strict validation would refuse, as far as the stand-in knows a kind's fields."""
    spec = as_body(patch.get("spec"))
    if kind.kind != "Node" or spec is None:
        return []
    return sorted(f"spec.{name}" for name in spec if name not in NODE_SPEC_FIELDS)
