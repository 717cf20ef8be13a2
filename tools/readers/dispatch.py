"""Chooses the readers of a document: its declared kind says where to look, its content decides."""

from collections.abc import Callable

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import MAX_TEXT_BYTES, Document
from firstfault.tools.kinds import Kind
from firstfault.tools.readers.gpu.reading import gpu_reading
from firstfault.tools.readers.history import changes_reading
from firstfault.tools.readers.host.reading import host_facts
from firstfault.tools.readers.jobs.reading import job_reading
from firstfault.tools.readers.json_shapes import json_reading, starts_json
from firstfault.tools.readers.kube.histories import object_changes
from firstfault.tools.readers.kube.reading import embedded_reading, kube_reading
from firstfault.tools.readers.metrics.reading import metrics_reading
from firstfault.tools.readers.people import notes_reading
from firstfault.tools.readers.signs import sign
from firstfault.tools.readers.tidy import cited_from, tidied
from firstfault.tools.readings import Reading, joined

Reader = Callable[[Document, ReadContext], Reading]


def _host_reading(document: Document, context: ReadContext) -> Reading:
    del context
    return Reading(facts=host_facts(document))


READERS: dict[Kind, tuple[Reader, ...]] = {
    Kind.KUBECTL_DESCRIBE: (kube_reading,),
    Kind.KUBECTL_GET: (kube_reading,),
    Kind.KUBE_OBJECTS: (kube_reading,),
    Kind.KUBE_EVENTS: (kube_reading,),
    Kind.PROMETHEUS_RESPONSE: (metrics_reading,),
    Kind.ALERTS: (metrics_reading,),
    Kind.NVIDIA_SMI: (gpu_reading, _host_reading),
    Kind.IBSTAT: (_host_reading,),
    Kind.HOST_TOOL: (_host_reading, gpu_reading),
    Kind.CHANGE_LOG: (changes_reading,),
    Kind.OPERATOR_NOTES: (notes_reading, _host_reading, gpu_reading),
    Kind.JOB_STATUS: (job_reading,),
    Kind.TOPOLOGY: (job_reading, kube_reading),
    Kind.PLAIN: (_host_reading, gpu_reading, embedded_reading),
}
"""Kinds that are not here are logs: their lines are read by the extractor, objects inside them here."""

_MAY_BE_JSON = frozenset(
    {
        Kind.KUBECTL_DESCRIBE, Kind.KUBECTL_GET, Kind.KUBE_OBJECTS, Kind.KUBE_EVENTS, Kind.PROMETHEUS_RESPONSE,
        Kind.ALERTS, Kind.TOPOLOGY, Kind.FLIGHT_RECORDER,
    }
)  # fmt: skip
"""Kinds whose JSON is one or a few values; in logs every line is one, and is read as a line."""
_LARGEST_PASTE_BYTES = 1 << 20
"""In larger texts of another kind nobody pasted the state of objects. A choice."""
_KUBE_SIGN = sign(
    r"^apiVersion: \S|^\s*(?:NAME|NAMESPACE|LAST SEEN)\s{2,}[A-Z]|^Name:\s{2,}\S[^\n]*\n(?:Namespace|Labels|Roles|Priority):\s"
)

_WHAT_BAD_INPUT_RAISES = (ValueError, LookupError, TypeError, ArithmeticError, AttributeError, RecursionError)
"""A reader that meets what it was not written for is a problem of one document, not of the investigation."""


def read(document: Document, context: ReadContext) -> Reading:
    """Return everything structured that `document` holds; what cannot be read is named in `problems`. Never raises."""
    if document.body.size > MAX_TEXT_BYTES and document.kind in READERS:
        return Reading(
            problems=(
                f"`{document.path}` is larger than can be parsed at once; its lines are still searched",
            )
        )
    found = _guarded(_found, document, context)
    return joined((found, _guarded(lambda _, frame: _told(found, frame), document, context)))


def _found(document: Document, context: ReadContext) -> Reading:
    """Return what the readers of the kind find; what a person pasted is read as it was printed."""
    plain = tidied(document) if document.kind in READERS else document
    found = joined(_guarded(reader, plain, context) for reader in _readers(plain))
    return found if plain is document else cited_from(found, document)


def _told(found: Reading, context: ReadContext) -> Reading:
    """Return the changes that objects tell of themselves, whatever they were read from."""
    return Reading(changes=tuple(object_changes(found.objects, context)))


def _readers(document: Document) -> tuple[Reader, ...]:
    readers = READERS.get(document.kind, (embedded_reading,))
    if document.kind in _MAY_BE_JSON and starts_json(document):
        return (json_reading,)
    if (
        kube_reading in readers
        or document.body.size > _LARGEST_PASTE_BYTES
        or not _KUBE_SIGN.search(document.text)
    ):
        return readers
    return (*readers, kube_reading)


def _guarded(reader: Reader, document: Document, context: ReadContext) -> Reading:
    try:
        return reader(document, context)
    except OSError as error:
        return Reading(
            problems=(f"`{document.path}` cannot be read: {(error.strerror or 'unknown error').lower()}",)
        )
    except _WHAT_BAD_INPUT_RAISES as error:
        return Reading(
            problems=(
                f"`{document.path}` could not be parsed ({type(error).__name__}); its lines are still searched",
            )
        )
