"""Chooses the readers of a document: its declared kind says where to look, its content decides."""

from collections.abc import Callable

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import MAX_TEXT_BYTES, Document
from firstfault.tools.kinds import Kind
from firstfault.tools.readers.changes import changes_reading
from firstfault.tools.readers.gpu.reading import gpu_reading
from firstfault.tools.readers.kube.reading import embedded_reading, kube_reading
from firstfault.tools.readers.metrics.reading import metrics_reading
from firstfault.tools.readers.notes import notes_reading
from firstfault.tools.readings import Reading

Reader = Callable[[Document, ReadContext], Reading]

_READERS: dict[Kind, Reader] = {
    Kind.KUBECTL_DESCRIBE: kube_reading,
    Kind.KUBECTL_GET: kube_reading,
    Kind.KUBE_OBJECTS: kube_reading,
    Kind.KUBE_EVENTS: kube_reading,
    Kind.AUDIT_LOG: embedded_reading,
    Kind.PROMETHEUS_RESPONSE: metrics_reading,
    Kind.ALERTS: metrics_reading,
    Kind.NVIDIA_SMI: gpu_reading,
    Kind.CHANGE_LOG: changes_reading,
    Kind.OPERATOR_NOTES: notes_reading,
}
"""Kinds that are not here are logs: their lines are read by the extractor, objects inside them here."""

_WHAT_BAD_INPUT_RAISES = (ValueError, LookupError, TypeError, ArithmeticError, AttributeError, RecursionError)
"""A reader that meets what it was not written for is a problem of one document, not of the investigation."""


def read(document: Document, context: ReadContext) -> Reading:
    """Return everything structured that `document` holds; what cannot be read is named in `problems`. Never raises."""
    try:
        if document.body.size > MAX_TEXT_BYTES and document.kind in _READERS:
            return Reading(problems=(f"`{document.path}` is larger than can be parsed at once; its lines are still searched",))
        return _READERS.get(document.kind, embedded_reading)(document, context)
    except OSError as error:
        return Reading(problems=(f"`{document.path}` cannot be read: {(error.strerror or 'unknown error').lower()}",))
    except _WHAT_BAD_INPUT_RAISES as error:
        return Reading(problems=(f"`{document.path}` could not be parsed ({type(error).__name__}); its lines are still searched",))
