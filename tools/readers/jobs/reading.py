"""Chooses between the shapes in which jobs and places are described."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.jobs.recorder import is_recorder_dump, recorder_facts
from firstfault.tools.readers.jobs.status import job_facts
from firstfault.tools.readers.jobs.topology import topology_facts
from firstfault.tools.readers.json_text import json_values
from firstfault.tools.readings import Reading


def job_reading(document: Document, context: ReadContext) -> Reading:
    """Return the facts about jobs and about where nodes sit."""
    del context
    return Reading(facts=(*job_facts(document), *topology_facts(document)))


def recorder_reading(document: Document, context: ReadContext) -> Reading:
    """Return the facts of a flight-recorder dump."""
    del context
    values = list(json_values(document.text))
    dumps = [value.node for value in values if is_recorder_dump(value.node)]
    return Reading(
        facts=tuple(fact for dump in dumps for fact in recorder_facts(dump, document)),
        problems=tuple(f"`{document.path}`: {value.problem}" for value in values if value.problem),
    )
