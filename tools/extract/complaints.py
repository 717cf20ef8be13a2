"""Lines that complain in words that no catalogue knows: a place to begin where nothing else was recognised. Pure.

They name no class and are never counted for one. Once anything that a machine said was recognised, they are left out.
"""

import re
from collections.abc import Iterator, Sequence

from firstfault.tools.catalogs.harmless import is_harmless
from firstfault.tools.context import ReadContext
from firstfault.tools.entities import UNKNOWN_ENTITY
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import FAMILY_OF_KIND, Family, Kind
from firstfault.tools.signals import Signal
from firstfault.tools.stamps import stamper

COMPLAINT = "log.complaint"
LARGEST_BYTES = 1 << 20
"""In larger logs something complains all the time. A choice."""
MOST_LINES = 2
"""More from one document are no better place to begin. A choice."""
_READ = frozenset(
    {
        Kind.KERNEL_LOG, Kind.CONTAINER_LOG, Kind.KUBELET_LOG, Kind.RUNTIME_LOG, Kind.FABRIC_MANAGER_LOG, Kind.SYSLOG,
        Kind.JOURNAL, Kind.APPLICATION_LOG, Kind.HOST_TOOL, Kind.IBSTAT, Kind.JOB_STATUS, Kind.PLAIN,
    }
)  # fmt: skip
_COMPLAINS = re.compile(
    r"(?i)\b(?:errors?|fatal|critical|panic|fail(?:ed|ure|ing|s)?|abort(?:ed|ing)?|exception|can(?:not|'t)|could not|unable to|"
    r"unrecoverable|uncorrect\w+|timed? ?out|refused|denied|halted|corrupt\w*|lost|not respond\w*|giving up|exceeded|"
    r"insufficient|unsupported|mismatch\w*|crash\w*|killed|hung|stuck)\b"
)
_DENIES = re.compile(
    r"(?i)\b(?:no|0|without|any) (?:errors?|failures?|faults?|exceptions?)\b|"
    r"\b(?:errors?|fail(?:ed|ures?)?|lost)\b[\"']?\s*[:=]\s*[\"']?(?:0|none|no|false|n/a)\b"
)


def complaints(
    documents: Sequence[Document], found: Sequence[Signal], context: ReadContext
) -> Iterator[Signal]:
    """Yield the first lines of each document that complain, where nothing that a machine said was recognised."""
    if any(_tells(signal) for signal in found):
        return
    for document in documents:
        if document.kind in _READ and document.body.size <= LARGEST_BYTES:
            yield from _of(document, context)


def _tells(signal: Signal) -> bool:
    if signal.said_by_human or signal.family is Family.CHANGE:
        return False
    return not is_harmless(signal.name)


def _of(document: Document, context: ReadContext) -> Iterator[Signal]:
    clock, number = stamper(document, context), 0
    for line, text in enumerate(document.lines, start=1):
        if _COMPLAINS.search(text) and not _DENIES.search(text):
            yield Signal(
                name=COMPLAINT,
                entity=document.entity or UNKNOWN_ENTITY,
                stamp=clock.stamp(line, text),
                evidence=document.cite(line),
                family=FAMILY_OF_KIND[document.kind],
            )
            number += 1
        if number >= MOST_LINES:
            return
