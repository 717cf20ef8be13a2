"""What a vendor asks for first: serial number, part, firmware and driver, as far as tools printed them. Pure."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from firstfault.agent.report.contract import EntityPart
from firstfault.tools.entities import EntityKind, canonical_bdf
from firstfault.tools.readings import Fact

_DEVICE: Mapping[str, str] = MappingProxyType(
    {
        "product_name": "Product",
        "name": "Product",
        "serial_number": "Serial number",
        "serial": "Serial number",
        "gpu_part_number": "Part number",
        "gpu_uuid": "UUID",
        "uuid": "UUID",
        "vbios_version": "VBIOS",
        "image_version": "InfoROM image",
    }
)
_MACHINE: Mapping[str, str] = MappingProxyType(
    {
        "driver_version": "Driver",
        "cuda_version": "CUDA",
        "gsp_firmware_version": "GSP firmware",
    }
)
"""Last part of a fact's name → what it is called in a ticket. Source: nvidia-smi -q and --query-gpu, field names."""
_EMPTY = frozenset({"", "n/a", "[n/a]", "unknown", "unknown error", "0"})


def identity(culprit: EntityPart | None, facts: Iterable[Fact]) -> tuple[tuple[str, str], ...]:
    """Return (label, value): of the device when the culprit is one, then of its machine; each label once.

    Where two values were printed for one label both are shown, and a person decides.
    """
    found: dict[str, list[str]] = {}
    for fact in facts:
        last = fact.name.rpartition(".")[2]
        label = _MACHINE.get(last) or (_DEVICE.get(last) if _is_of(fact, culprit) else None)
        value = str(fact.value).strip()
        if label and value.lower() not in _EMPTY and value not in found.setdefault(label, []):
            found[label].append(value)
    order = dict.fromkeys((*_DEVICE.values(), *_MACHINE.values()))
    return tuple((label, ", ".join(found[label])) for label in order if found.get(label))


def _is_of(fact: Fact, culprit: EntityPart | None) -> bool:
    if culprit is None or fact.entity is None or fact.entity.kind is not EntityKind.GPU:
        return False
    names = {fact.entity.name, *fact.labels.values()}
    address = canonical_bdf(culprit.name)
    return culprit.name in names or (
        address is not None and address in {canonical_bdf(each) for each in names}
    )
