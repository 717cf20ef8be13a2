"""Described services, endpoints, ingresses and network policies.

Source: `kubectl describe` printers (k8s.io/kubectl, pkg/describe), 1.20 to 1.34.
"""

import re

from firstfault.tools.readers.kube.describe.outline import ABSENT, Entry
from firstfault.tools.readers.kube.describe.parts import put_metadata, put_selector, whole
from firstfault.tools.readers.kube.draft import Draft

_PORT = re.compile(r"^(?:(?P<name>\S+)\s+)?(?P<port>[\w-]+)/(?P<protocol>[A-Z]+)$")
_BACKEND = re.compile(
    r"(?P<path>/\S*)?\s*(?P<name>[a-z0-9](?:[\w.-]*[a-z0-9])?):(?P<port>[\w-]+)\s*(?:\((?P<at>[^)]*)\)?)?$"
)
_LONGEST_RULE = 500
"""Hosts have at most 253 characters and paths of rules are short: what is longer is no rule. Units: characters."""
_ISOLATED = re.compile(r"isolated for (?:ingress|egress) connectivity", re.IGNORECASE)


def service(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of a service; `status.endpoints` are the addresses that it prints."""
    del raw_lines
    put_metadata(root, draft)
    selector = root.find("Selector")
    if selector is not None and selector.value not in ABSENT:
        put_selector(draft, selector, "spec", "selector")
    for key, name in (
        ("Type", "type"),
        ("IP", "clusterIP"),
        ("External Traffic Policy", "externalTrafficPolicy"),
    ):
        entry = root.find(key)
        if entry is not None and entry.value not in ABSENT:
            draft.put("spec", name, value=entry.value, line=entry.line)
    port: Draft | None = None
    for entry in root.below:
        if entry.key == "Port":
            port = _port(entry, draft)
        elif entry.key == "TargetPort" and port is not None:
            port.put("targetPort", value=whole(entry.value.partition("/")[0]), line=entry.line)
        elif entry.key == "Endpoints":
            _addresses(entry, draft, "status", "endpoints")


def _port(entry: Entry, draft: Draft) -> Draft | None:
    match = _PORT.match(entry.value)
    if match is None:
        return None
    port = draft.append("spec", "ports", line=entry.line)
    if match["name"] and match["name"] not in ABSENT:
        port.put("name", value=match["name"], line=entry.line)
    port.put("port", value=whole(match["port"]), line=entry.line)
    port.put("protocol", value=match["protocol"], line=entry.line)
    return port


def _addresses(entry: Entry, draft: Draft, *path: str) -> None:
    draft.touch_list(*path, line=entry.line)
    for line, text in entry.values():
        for word in text.split(","):
            if word.strip() and word.strip() not in ABSENT:
                draft.append_value(*path, value=word.strip(), line=line)


def endpoints(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of an Endpoints object."""
    del raw_lines
    put_metadata(root, draft)
    listed = root.find("Subsets")
    draft.touch_list("subsets", line=listed.line if listed is not None else root.line)
    subset: Draft | None = None
    for entry in listed.below if listed is not None else []:
        if entry.key == "Addresses":
            subset = draft.append("subsets", line=entry.line)
        name = {"Addresses": "addresses", "NotReadyAddresses": "notReadyAddresses"}.get(entry.key)
        if name is None or subset is None:
            continue
        for line, text in entry.values():
            for word in text.split(","):
                if word.strip() and word.strip() not in ABSENT:
                    subset.append(name, line=line).put("ip", value=word.strip(), line=line)


def ingress(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of an ingress: its rules with their backends."""
    del raw_lines
    put_metadata(root, draft)
    name = root.find("Ingress Class")
    if name is not None and name.value not in ABSENT:
        draft.put("spec", "ingressClassName", value=name.value, line=name.line)
    rules = root.find("Rules")
    paths: Draft | None = None
    for line, text in _rows(rules) if rules is not None else []:
        match = _BACKEND.search(text[:_LONGEST_RULE])
        host = text[: match.start()].strip() if match else text.strip()
        if host and (match is None or host != "*") and not host.startswith("/"):
            paths = draft.append("spec", "rules", line=line)
            paths.put("host", value=host, line=line)
        if match is None:
            continue
        if paths is None:
            paths = draft.append("spec", "rules", line=line)
        path = paths.append("http", "paths", line=line)
        path.put("path", value=match["path"] or "/", line=line)
        path.put("backend", "service", "name", value=match["name"], line=line)
        number = whole(match["port"])
        path.put(
            "backend",
            "service",
            "port",
            "number" if isinstance(number, int) else "name",
            value=number,
            line=line,
        )


def _rows(rules: Entry) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for entry in rules.below:
        text = entry.text.strip()
        if text and not text.startswith(("Host ", "----")):
            found.append((entry.line, text))
        found += _rows(entry)
    return found


def policy(root: Entry, draft: Draft, raw_lines: list[str]) -> None:
    """Fill `draft` from the description of a network policy; a direction that is isolated has an empty list."""
    put_metadata(root, draft)
    spec = root.find("Spec")
    if spec is None:
        return
    selector = spec.find("PodSelector")
    draft.touch("spec", "podSelector", line=selector.line if selector is not None else spec.line)
    if selector is not None and not selector.value.startswith("<none>"):
        put_selector(draft, selector, "spec", "podSelector", "matchLabels")
    for direction in ("ingress", "egress"):
        allowed = spec.find(f"Allowing {direction} traffic")
        if allowed is None:
            continue
        draft.touch_list("spec", direction, line=allowed.line)
        text = "\n".join(raw_lines[allowed.line - 1 : _last(allowed)])
        if not _ISOLATED.search(text):
            draft.append("spec", direction, line=allowed.line).put("described", value=True, line=allowed.line)
    kinds = spec.find("Policy Types")
    for word in kinds.value.split(",") if kinds is not None else []:
        draft.append_value(
            "spec", "policyTypes", value=word.strip(), line=kinds.line if kinds is not None else 1
        )


def _last(entry: Entry) -> int:
    """Return the last line that lies below `entry`."""
    return max([entry.line, *(_last(below) for below in entry.below)])
