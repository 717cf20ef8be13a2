"""Chooses between the forms in which GPU tools print; a text may hold several."""

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.readers.gpu.dcgm import DCGM_SIGN, dcgm_facts
from firstfault.tools.readers.gpu.errors import error_facts
from firstfault.tools.readers.gpu.listing import (
    CSV_SIGN,
    LIST_SIGN,
    TOPO_SIGN,
    csv_facts,
    listing_facts,
    topo_facts,
)
from firstfault.tools.readers.gpu.query import QUERY_SIGN, query_facts
from firstfault.tools.readers.gpu.table import TABLE_SIGN, table_facts
from firstfault.tools.readings import Fact, Reading

_FORMS = (
    (TABLE_SIGN, table_facts),
    (LIST_SIGN, listing_facts),
    (TOPO_SIGN, topo_facts),
    (CSV_SIGN, csv_facts),
    (QUERY_SIGN, query_facts),
    (DCGM_SIGN, dcgm_facts),
)


def gpu_reading(document: Document, context: ReadContext) -> Reading:
    """Return the facts that a GPU tool printed."""
    del context
    facts: list[Fact] = list(error_facts(document))
    for sign, reader in _FORMS:
        if sign.search(document.text):
            facts += reader(document)
    return Reading(facts=tuple(facts))
