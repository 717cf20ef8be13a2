"""Audit records of the API server: writes are changes with an author."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.kinds import entity_of, kind_of_word
from firstfault.tools.readers.kube.stamping import field_stamp, is_later
from firstfault.tools.readers.located import Node
from firstfault.tools.readings import Change

_READS = frozenset({"get", "list", "watch", ""})
_URI = re.compile(
    r"^/(?:api/v1|apis/[^/]+/[^/]+)(?:/namespaces/(?P<namespace>[^/?]+)(?=/))?/(?P<resource>[^/?]+)(?:/(?P<name>[^/?]+))?"
)
_REVIEWS = frozenset(
    {"subjectaccessreviews", "selfsubjectaccessreviews", "tokenreviews", "selfsubjectreviews"}
)
_FIRST_REFUSAL = 400
"""HTTP status from which on nothing was changed."""
_STAGES = frozenset({"ResponseComplete", "Panic", ""})
_KIND_OF_VERB = {"delete": "delete", "deletecollection": "delete"}
_KIND_OF_RESOURCE = {
    "resourcequotas": "quota",
    "deployments": "deployment",
    "daemonsets": "deployment",
    "statefulsets": "deployment",
    "configmaps": "config",
}


def is_audit(node: Node) -> bool:
    """Return whether `node` is an audit record."""
    return node.text("kind") == "Event" and node.text("apiVersion").startswith("audit.k8s.io")


def audit_changes(node: Node, document: Document, context: ReadContext) -> Iterator[Change]:
    """Yield the change that an audit record tells of; reads, refusals and unfinished stages tell of none."""
    verb, target = node.text("verb"), _target(node)
    code = node.text("responseStatus", "code")
    if verb in _READS or target.resource in _REVIEWS or node.text("stage") not in _STAGES:
        return
    if code.isdigit() and int(code[:9]) >= _FIRST_REFUSAL:
        return
    when = node.text("stageTimestamp") or node.text("requestReceivedTimestamp")
    stamp = field_stamp(when, document, node.line, context)
    if is_later(stamp, context):
        return
    kind = kind_of_word(target.resource) or target.resource
    cordons = node.text("requestObject", "spec", "unschedulable") if target.resource == "nodes" else ""
    place = f" in {target.namespace}" if target.namespace else ""
    yield Change(
        what=f"{verb} {target.resource}/{target.name or '*'}{place}"
        + (f" ({code})" if code else "")
        + (f": unschedulable {cordons.lower()}" if cordons else ""),
        document=document,
        line=node.line,
        line_end=node.line,
        kind=("cordon" if cordons else None)
        or _KIND_OF_VERB.get(verb)
        or _KIND_OF_RESOURCE.get(target.resource, "change"),
        who=node.text("impersonatedUser", "username") or node.text("user", "username") or None,
        why=node.text("userAgent") or None,
        stamp=stamp,
        scope=(replace(entity_of(kind, target.name, target.namespace or None), api_kind=kind),)
        if target.name
        else (),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    resource: str
    name: str
    namespace: str


def _target(node: Node) -> _Target:
    """Return what was written: from the reference, or from the address when the record was cut before it."""
    held = node.child("objectRef")
    if held is not None:
        return _Target(
            resource=held.text("resource"), name=held.text("name"), namespace=held.text("namespace")
        )
    match = _URI.match(node.text("requestURI"))
    parts = match.groupdict() if match is not None else {}
    return _Target(
        resource=parts.get("resource") or "",
        name=parts.get("name") or "",
        namespace=parts.get("namespace") or "",
    )
