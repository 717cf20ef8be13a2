"""What the host of a prompt is: a machine or a pod, by what else the recording says of the name. Pure.

`root@trainer-0:/workspace#` and `root@gpu-7:~#` look alike. Nothing in a prompt says which of the two is a pod, so the name
counts as a machine only where something else calls it one, as a pod where something calls it that, else as neither.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind

PROMPT_HOST = "prompt_host"
"""The label that a part of a terminal session has until it is known what its host is."""
_MACHINE_KINDS = frozenset({Kind.KERNEL_LOG, Kind.JOURNAL})
"""What only a machine has: the log of its kernel and its journal."""
_LONGEST_TEXT = 1_000_000
_GENERATED = re.compile(r"-[a-z0-9]{8,10}-[a-z0-9]{5}$")
"""The end of the name of a pod of a Deployment: the hash of its template, and its own."""
_AS_MACHINE = r"^{}[ \t]+(?:Ready|NotReady)\b|\bnodes?[/ ]{}\b|^Node:[ \t]+{}(?:/|$)|\bnodeName:[ \t]*{}\b|[ \t]{} kernel:"
_AS_POD = r"\bpods?[/ ]{}\b|^{}[ \t]+\d+/\d+[ \t]+\w|\b(?:exec|cp|attach|debug)\b[^\n]{{0,120}}[ /]{}\b"


def with_hosts(documents: Sequence[Document]) -> tuple[Document, ...]:
    """Return the documents, those of terminal sessions with the node, or the pod, that their prompt turns out to name."""
    named = {document.labels[PROMPT_HOST] for document in documents if PROMPT_HOST in document.labels}
    if not named:
        return tuple(documents)
    told = [(document, _text(document)) for document in documents]
    settled = {host: _label(host, told) for host in sorted(named)}
    return tuple(_settled(document, settled) for document in documents)


def _text(document: Document) -> str:
    return "\n".join(document.lines) if document.body.size <= _LONGEST_TEXT else ""


def _settled(document: Document, settled: dict[str, str | None]) -> Document:
    host = document.labels.get(PROMPT_HOST)
    if host is None:
        return document
    label = settled[host]
    kept = {key: value for key, value in document.labels.items() if key != PROMPT_HOST}
    return replace(document, labels={**({label: host} if label else {}), **kept})


def _label(host: str, told: Iterable[tuple[Document, str]]) -> str | None:
    as_machine, as_pod = (_compiled(pattern, host) for pattern in (_AS_MACHINE, _AS_POD))
    is_machine = False
    for document, text in told:
        labels = document.labels
        if labels.get("pod") == host:
            return "pod"
        is_machine |= labels.get("node") == host
        is_machine |= labels.get(PROMPT_HOST) == host and document.kind in _MACHINE_KINDS
        if as_pod.search(text):
            return "pod"
        is_machine |= as_machine.search(text) is not None
    if is_machine:
        return "node"
    return "pod" if _GENERATED.search(host) else None


def _compiled(pattern: str, host: str) -> re.Pattern[str]:
    name = re.escape(host)
    return re.compile(pattern.format(*[name] * pattern.count("{}")), re.MULTILINE)
