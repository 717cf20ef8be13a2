"""Signals that say of no fault: one list, by what they say instead."""

import pytest

from firstfault.tools.catalogs.harmless import FINE, is_harmless
from firstfault.tools.catalogs.tables import read_table


@pytest.mark.parametrize("name", ["kube.node.ready", "kube.top.memory_bytes", "amdgpu.driver_loaded"])
def test_that_something_is_well_or_how_much_there_is_follows_from_no_fault(name: str) -> None:
    assert is_harmless(name)
    assert is_harmless(name, FINE)


@pytest.mark.parametrize("name", ["topic.kubernetes.dns", "change.merged", "kernel.release"])
def test_what_is_spoken_of_is_no_fault_and_says_not_that_all_is_well(name: str) -> None:
    assert is_harmless(name)
    assert not is_harmless(name, FINE)


@pytest.mark.parametrize("name", ["xid.79", "kube.node.not_ready", "mlx5.link_down", "log.complaint"])
def test_a_fault_is_not_harmless(name: str) -> None:
    assert not is_harmless(name)


def test_every_row_has_a_source() -> None:
    assert all(row["source"] for row in read_table("harmless_signals.csv"))
