"""Label selectors, node affinity, taints and tolerations as Kubernetes evaluates them. Pure.

Source: Kubernetes API reference, LabelSelector, NodeSelectorTerm, Toleration; "Taints and Tolerations".
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from firstfault.tools.readings import Json

Labels = Mapping[str, str]


def text_map(value: Json) -> dict[str, str]:
    """Return a mapping of texts; anything else becomes an empty one."""
    if not isinstance(value, dict):
        return {}
    return {
        key: _text(item)
        for key, item in value.items()
        if not isinstance(item, dict | list) and item is not None
    }


def _text(value: Json) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def maps(value: Json) -> list[dict[str, Json]]:
    """Return the mappings in a list; anything else becomes an empty list."""
    return (
        [cast("dict[str, Json]", item) for item in value if isinstance(item, dict)]
        if isinstance(value, list)
        else []
    )


def texts(value: Json) -> list[str]:
    """Return the scalars in a list as texts."""
    return (
        [_text(item) for item in value if not isinstance(item, dict | list)]
        if isinstance(value, list)
        else []
    )


def labels_match(selector: Labels, labels: Labels) -> bool:
    """Return whether every pair of an equality selector is among the labels."""
    return all(labels.get(key) == value for key, value in selector.items())


def mismatches(selector: Labels, labels: Labels) -> list[str]:
    """Return the keys of an equality selector that the labels do not fulfil."""
    return [key for key, value in selector.items() if labels.get(key) != value]


def selector_matches(selector: Json, labels: Labels) -> bool:
    """Return whether a LabelSelector (matchLabels, matchExpressions) fits the labels; an empty one fits everything."""
    if not isinstance(selector, dict):
        return False
    if not labels_match(text_map(selector.get("matchLabels")), labels):
        return False
    return all(requirement_holds(item, labels) for item in maps(selector.get("matchExpressions")))


def requirement_holds(requirement: Mapping[str, Json], labels: Labels) -> bool:
    """Return whether one expression (In, NotIn, Exists, DoesNotExist, Gt, Lt) holds for the labels."""
    key, operator = str(requirement.get("key", "")), str(requirement.get("operator", "In"))
    values, value = texts(requirement.get("values")), labels.get(key)
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if operator == "NotIn":
        return value not in values
    if operator in {"Gt", "Lt"}:
        return _compares(operator, value, values)
    return value is not None and value in values


def _compares(operator: str, value: str | None, values: Sequence[str]) -> bool:
    if value is None or not values or not value.lstrip("-").isdigit() or not values[0].lstrip("-").isdigit():
        return False
    return int(value) > int(values[0]) if operator == "Gt" else int(value) < int(values[0])


def affinity_fits(terms: Json, labels: Labels, node_name: str) -> bool:
    """Return whether any term of a required node affinity fits (terms are alternatives, expressions in one add up)."""
    listed = maps(terms)
    if not listed:
        return True
    names = {"metadata.name": node_name}
    return any(
        all(requirement_holds(item, labels) for item in maps(term.get("matchExpressions")))
        and all(requirement_holds(item, names) for item in maps(term.get("matchFields")))
        for term in listed
    )


def untolerated(taints: Iterable[Mapping[str, Json]], tolerations: Sequence[Mapping[str, Json]]) -> list[str]:
    """Return the keys of the taints that keep a pod away (NoSchedule, NoExecute) and that no toleration fits."""
    return [
        str(taint.get("key", ""))
        for taint in taints
        if str(taint.get("effect", "")) in {"NoSchedule", "NoExecute"}
        and not any(tolerates(item, taint) for item in tolerations)
    ]


def tolerates(toleration: Mapping[str, Json], taint: Mapping[str, Json]) -> bool:
    """Return whether a toleration fits a taint; an empty key with Exists fits every taint, an empty effect any effect."""
    effect = str(toleration.get("effect") or "")
    if effect and effect != str(taint.get("effect") or ""):
        return False
    key = str(toleration.get("key") or "")
    exists = str(toleration.get("operator") or "Equal") == "Exists"
    if not key:
        return exists
    if key != str(taint.get("key") or ""):
        return False
    return exists or str(toleration.get("value") or "") == str(taint.get("value") or "")
