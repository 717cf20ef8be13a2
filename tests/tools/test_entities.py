"""Which names mean the same thing."""

import pytest

from firstfault.tools.entities import EntityKind, EntityRef


@pytest.mark.parametrize(
    ("kind", "one", "other", "is_same"),
    [
        (EntityKind.GPU, "0000:91:00", "PCI:0000:91:00", True),
        (EntityKind.GPU, "00000000:91:00.0", "0000:91:00.1", True),
        (EntityKind.ADAPTER, "0000:9c:00", "0000:9c:00.0", True),
        (EntityKind.ADAPTER, "0000:9c:00.0", "0000:9c:00.1", False),
        (EntityKind.PORT, "0000:9C:00.1", "0000:9c:00.1", True),
        (EntityKind.POD, "a", "b", False),
    ],
)
def test_addresses_of_one_device_are_equal_and_ports_of_an_adapter_are_not(
    kind: EntityKind, one: str, other: str, *, is_same: bool
) -> None:
    assert (EntityRef(kind=kind, name=one).key == EntityRef(kind=kind, name=other).key) is is_same
