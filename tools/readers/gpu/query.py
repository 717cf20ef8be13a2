"""`nvidia-smi -q`: an outline of sections per GPU."""

import re
from collections.abc import Sequence

from firstfault.tools.evidence import Document
from firstfault.tools.readers.gpu.errors import gpu_entity
from firstfault.tools.readers.sheet import Sheet, snake
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_GPU = re.compile(r"^GPU (?P<bdf>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.\d)\s*$")
_PAIR = re.compile(r"^(?P<indent>\s*)(?P<key>\S[^:]*?)\s+:\s?(?P<value>.*?)\s*$")
_SECTION = re.compile(r"^(?P<indent>\s+)(?P<key>[A-Z][\w /().-]*?)\s*$")
_TOP_SECTION = re.compile(
    r"^(?P<indent>)(?P<key>Fabric|ECC Errors|Remapped Rows|Temperature|Clocks.*|Power.*|GPU Power Readings|Retired Pages)\s*$"
)
QUERY_SIGN = sign(
    r"^=+NVSMI LOG=+|^GPU [0-9a-fA-F]{8}:[0-9a-fA-F]{2}:|^\s{4,}(?:State|CliqueId|ClusterUUID|Product Name|GPU UUID|"
    r"Persistence Mode|Pending|"
    r"Volatile|Aggregate|Remapping Failure Occurred)\s{3,}:?\s|^\s*(?:Driver Version|Attached GPUs|CUDA Version)\s{5,}: "
)
_ABSENT = {"N/A", "[N/A]", ""}


def query_facts(document: Document) -> Sequence[Fact]:
    """Return `smi.<section>.<key>` for every value printed, about the GPU whose block it stands in."""
    sheet = Sheet(document, "smi")
    sections: list[tuple[int, str]] = []
    for number, raw in numbered(document):
        line = raw.rstrip("\r").expandtabs(8)
        gpu = _GPU.match(line)
        if gpu is not None:
            sheet.entity, sections = gpu_entity(gpu["bdf"], document), []
            continue
        pair, section = _PAIR.match(line), _SECTION.match(line) or _TOP_SECTION.match(line)
        found = pair or section
        if found is None:
            continue
        indent = len(found["indent"])
        while sections and sections[-1][0] >= indent:
            sections.pop()
        if pair is None:
            sections.append((indent, snake(found["key"])))
        elif pair["value"] not in _ABSENT:
            sheet.measure(
                ".".join([*(name for _, name in sections), snake(pair["key"])]), pair["value"], number
            )
    return sheet.facts
