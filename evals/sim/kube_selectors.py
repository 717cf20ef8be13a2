"""Label and field selectors, refused with a real server's words when they cannot be read."""

import re
from collections.abc import Callable, Mapping

from firstfault.evals.sim.kube_errors import bad_request
from firstfault.evals.sim.kube_json import Body, Value, as_body, labels_of
from firstfault.evals.sim.kube_kinds import ServedKind

Test = Callable[[Body], bool]
_REQUIREMENT = re.compile(
    r"\s*(?:(?P<absent>!)\s*(?P<gone>[\w./-]+)"
    r"|(?P<key>[\w./-]+)\s*(?:(?P<set>notin|in)\s*\((?P<values>[^()]*)\)|(?P<op>==|=|!=)\s*(?P<value>[\w./-]*))?)\s*(?:,|$)"
)


def label_test(selector: str) -> Test:
    """Return whether an object's labels fit. Raises Refusal for what is no selector."""
    tests: list[Callable[[Mapping[str, str]], bool]] = []
    at = 0
    while at < len(selector):
        found = _REQUIREMENT.match(selector, at)
        if found is None or found.end() == at:
            message = "unable to parse requirement: found '', expected: ',', ')' or identifier"
            raise bad_request(message)
        tests.append(_requirement(found))
        at = found.end()

    def fits(item: Body) -> bool:
        return all(test(labels_of(item)) for test in tests)

    return fits


def _requirement(found: re.Match[str]) -> Callable[[Mapping[str, str]], bool]:
    key, gone = found["key"], found["gone"]
    if found["absent"]:
        return lambda labels: gone not in labels
    if found["set"]:
        values = {value.strip() for value in found["values"].split(",")}
        wanted = found["set"] == "in"
        return lambda labels: (labels.get(key) in values) is wanted
    if found["op"] == "!=":
        return lambda labels: labels.get(key) != found["value"]
    if found["op"]:
        return lambda labels: labels.get(key) == found["value"]
    return lambda labels: key in labels


def field_test(selector: str, kind: ServedKind) -> Test:
    """Return whether an object's fields fit. Raises Refusal for a field that cannot be selected by."""
    wanted: list[tuple[str, str, bool]] = []
    for part in filter(None, selector.split(",")):
        name, _, value = part.partition("!=" if "!=" in part else "=")
        if name not in {"metadata.name", "metadata.namespace", *kind.fields}:
            message = f"field label not supported: {name}"
            raise bad_request(message)
        wanted.append((name, value.removeprefix("="), "!=" not in part))

    def fits(item: Body) -> bool:
        return all((_field(item, name) == value) is same for name, value, same in wanted)

    return fits


def _field(item: Body, path: str) -> str:
    value: Value = item
    for part in path.split("."):
        value = (as_body(value) or {}).get(part)
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
