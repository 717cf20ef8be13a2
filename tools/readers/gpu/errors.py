"""What nvidia-smi says when it cannot answer."""

import re
from collections.abc import Iterator

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.signs import numbered
from firstfault.tools.readings import Fact

_ERROR = re.compile(
    r"Unable to determine the device handle|No devices were found|Failed to initialize NVML|NVIDIA-SMI has failed|GPU is lost|"
    r"Unknown Error|couldn't communicate with the NVIDIA driver|Insufficient Permissions|Unable to retrieve|"
    r"command not found|Killed$"
)
_BDF = re.compile(r"\b(?:GPU\s?)?(?P<bdf>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.\d)")


def error_facts(document: Document) -> Iterator[Fact]:
    """Yield `smi.error` with the whole line, about the GPU that the line names."""
    for number, line in numbered(document):
        if _ERROR.search(line):
            match = _BDF.search(line)
            entity = gpu_entity(match["bdf"], document) if match else document.entity
            yield Fact(name="smi.error", value=line.strip(), document=document, line=number, entity=entity)


def gpu_entity(name: str, document: Document) -> EntityRef:
    """Return the GPU called `name` (an address or an index) on the document's node."""
    return EntityRef(kind=EntityKind.GPU, name=name, node=document.node)
