"""Rows of `kubectl top`: what pods and nodes use at the moment."""

import re
from collections.abc import Iterator

from firstfault.tools.evidence import Document
from firstfault.tools.readers.kube.kinds import entity_of
from firstfault.tools.readings import Fact

_QUANTITY = re.compile(r"^(?P<number>\d+(?:\.\d+)?)(?P<unit>[A-Za-z%]*)$")
_FACTORS = {
    "": 1.0, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15,
    "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "%": 1.0,
}  # fmt: skip


def quantity(text: str) -> float | None:
    """Return a Kubernetes quantity (`612m`, `1284Mi`, `8`) in base units, or None when `text` is none."""
    match = _QUANTITY.match(text.strip())
    factor = _FACTORS.get(match["unit"]) if match else None
    return None if match is None or factor is None else float(match["number"]) * factor


def usage_facts(
    cells: dict[str, str], document: Document, line: int, namespace: str | None
) -> Iterator[Fact]:
    """Yield `kube.top.cpu_cores`, `kube.top.memory_bytes` and their percentages for one row."""
    upper = {title.upper().replace(" ", ""): cell for title, cell in cells.items()}
    pod = upper.get("POD") or (upper.get("NAME") if "CPU%" not in upper and "MEMORY%" not in upper else None)
    name = pod or upper.get("NAME") or upper.get("NODE")
    if not name:
        return
    entity = entity_of("Pod" if pod else "Node", name, upper.get("NAMESPACE") or namespace, document.node)
    for title, fact in (
        ("CPU(CORES)", "kube.top.cpu_cores"),
        ("MEMORY(BYTES)", "kube.top.memory_bytes"),
        ("CPU%", "kube.top.cpu_percent"),
        ("MEMORY%", "kube.top.memory_percent"),
    ):
        value = quantity(upper.get(title, ""))
        if value is not None:
            yield Fact(name=fact, value=value, document=document, line=line, entity=entity)
