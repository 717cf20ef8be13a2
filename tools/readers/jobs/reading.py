"""Chooses between the shapes in which jobs and places are described."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.jobs.status import job_facts
from firstfault.tools.readers.jobs.topology import topology_facts
from firstfault.tools.readings import Reading


def job_reading(document: Document, context: ReadContext) -> Reading:
    """Return the facts about jobs and about where nodes sit."""
    del context
    return Reading(facts=(*job_facts(document), *topology_facts(document)))
