"""Audit records of the API server: writes are changes with an author."""

from collections.abc import Iterator

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.kinds import entity_of, kind_of_word
from firstfault.tools.readers.kube.stamping import field_stamp, is_later
from firstfault.tools.readers.located import Node
from firstfault.tools.readings import Change

_READS = frozenset({"get", "list", "watch", ""})
_REVIEWS = frozenset(
    {"subjectaccessreviews", "selfsubjectaccessreviews", "tokenreviews", "selfsubjectreviews"}
)
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
    """Yield the change that an audit record tells of; reads and unfinished stages tell of none."""
    verb, resource = (
        node.text("verb") or _verb_of_uri(node.text("requestURI")),
        node.text("objectRef", "resource"),
    )
    resource = resource or _resource_of_uri(node.text("requestURI"))
    if verb in _READS or resource in _REVIEWS or node.text("stage") not in _STAGES:
        return
    name, namespace = node.text("objectRef", "name"), node.text("objectRef", "namespace")
    stamp = field_stamp(
        node.text("stageTimestamp") or node.text("requestReceivedTimestamp"), document, node.line, context
    )
    if is_later(stamp, context):
        return
    code = node.text("responseStatus", "code")
    scope = (entity_of(kind_of_word(resource) or resource, name, namespace or None),) if name else ()
    place = f" in {namespace}" if namespace and name != namespace else ""
    yield Change(
        what=f"{verb} {resource}/{name or '*'}{place}" + (f" ({code})" if code else ""),
        document=document,
        line=node.line,
        line_end=node.line,
        kind=_KIND_OF_VERB.get(verb) or _KIND_OF_RESOURCE.get(resource, "change"),
        who=node.text("impersonatedUser", "username") or node.text("user", "username") or None,
        why=node.text("userAgent") or None,
        stamp=stamp,
        scope=scope,
    )


def _verb_of_uri(uri: str) -> str:
    return "" if not uri else "get"


def _resource_of_uri(uri: str) -> str:
    parts = [part for part in uri.partition("?")[0].split("/") if part]
    return parts[-1] if parts else ""
