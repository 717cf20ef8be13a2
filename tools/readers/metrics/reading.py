"""Chooses between the shapes in which metrics are pasted."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.json_text import json_values
from firstfault.tools.readers.kube.digests import digest_reading
from firstfault.tools.readers.metrics.answers import answer_reading, is_answer
from firstfault.tools.readings import Reading


def metrics_reading(document: Document, context: ReadContext) -> Reading:
    """Return the series and alerts that `document` holds."""
    reading = Reading()
    if document.text.lstrip("\ufeff \t\r\n")[:1] not in {"{", "["}:
        return reading
    for value in json_values(document.text):
        if value.problem:
            reading += Reading(problems=(f"`{document.path}`: {value.problem}",))
        if is_answer(value.node):
            reading += answer_reading(value.node, document, context)
        else:
            reading += digest_reading(value.node, document, context) or Reading()
    return reading
