import pytest

from firstfault.tools.extract.nvlink4 import decode_xid74
from firstfault.tools.extract.nvlink5 import decode_registers
from tests.tools.extract.reading import only, told

V1, V2 = 0x021425C6, 0x02140011
"""The same link-down reason (33) in the layout before and since R575, made from the masks of the catalogue."""


def line(unit: str, intr: int, link: str = "07", flags: str = "XC0 i0") -> str:
    words = " ".join(f"0x{word:08x}" for word in (intr, 0, 0, 0, 0, 0))
    return f"NVRM: Xid (PCI:0009:01:00): 149, {unit}  Fatal   {flags} Link {link} ({words})"


@pytest.mark.parametrize(
    ("unit", "intr", "layout"), [("NETIR_LINK_EVT", V1, "v1"), ("NETIR_LINK_DOWN", V2, "v2")]
)
def test_the_name_of_the_unit_tells_the_layout(unit: str, intr: int, layout: str) -> None:
    signal = only(line(unit, intr), "xid.149")
    assert told(signal, "layout", "unit", "link", "reason", "nvlink5_action") == (
        layout,
        unit,
        7,
        33,
        "RESET_GPU",
    )
    assert told(signal, "reason_meaning") == ("INVESTIGATE_PEER_DEVICE",)


def test_the_driver_tells_the_layout_before_the_name_does() -> None:
    old = "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.15  Mon\n" + line("NETIR_LINK_DOWN", V1)
    new = "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.12.01  Mon\n" + line(
        "NETIR_LINK_EVT", V2
    )
    assert told(only(old, "xid.149"), "layout") == ("v1",)
    assert told(only(new, "xid.149"), "layout") == ("v2",)


def test_where_both_layouts_fit_the_result_is_ambiguous() -> None:
    assert decode_registers(150, "MSE_WATCHDOG", 0, 0, None).layout == "ambiguous"
    assert decode_registers(150, "MSE_WATCHDOG", 0, 0, 580).layout == "v2"


def test_a_wrong_layout_is_not_read_as_no_fault() -> None:
    decoded = decode_registers(149, "NETIR_LINK_EVT", V1, 0, 580)
    assert decoded.reason == 33
    assert decoded.actions == ()


def test_an_injected_test_and_a_link_that_is_none() -> None:
    signal = only(line("NETIR_LINK_EVT", V1, "-1", "XC1 i1"), "xid.149")
    assert told(signal, "injected", "cross_contained", "link") == (True, True, None)


def test_units_may_hold_digits() -> None:
    text = "NVRM: Xid (PCI:0009:01:00): 146, TLW_RX_PIPE0 Nonfatal XC0 i0 Link 03 (0x0000000a 0x00000001 0x0 0x0 0x0 0x0)"
    assert told(only(text, "xid.146"), "unit", "severity", "link") == ("TLW_RX_PIPE0", "Nonfatal", 3)


def test_a_short_line_without_registers_is_still_a_link_fault() -> None:
    assert told(only("NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_DOWN", "xid.149"), "layout") == (None,)


def test_the_registers_of_xid_74_tell_link_and_weight() -> None:
    told_ = decode_xid74(
        "pid=7, name=a, NVLink: fatal error detected on link 6(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)"
    )
    assert told_["link"] == 6
    assert told_["register_meaning"] == "register 0 bit 16: serious when it repeats on the link"


def test_bits_that_mean_nothing_are_silent() -> None:
    assert (
        decode_xid74("error on link 2(0x40800001, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)")["register_silent"] is True
    )


def test_a_line_that_was_cut_before_its_registers() -> None:
    assert decode_xid74("NVLink: fatal error detected on link 6") == {"link": 6, "what": "fatal error"}
