"""Chooses between the forms in which GPU tools print."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.gpu.errors import error_facts
from firstfault.tools.readings import Reading


def gpu_reading(document: Document, context: ReadContext) -> Reading:
    """Return the facts that a GPU tool printed."""
    del context
    return Reading(facts=tuple(error_facts(document)))
