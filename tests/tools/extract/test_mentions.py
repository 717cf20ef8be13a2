import pytest

from firstfault.tools.kinds import Family, Kind
from tests.tools.extract.reading import only, signals, told


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("XidCriticalError: Xid=48 on Device=GPU-6f0c1a52-0000-4000-8000-000000000001", [48]),
        ("Alert GPU XID errors 79 on gpu-7", [79]),
        ('{"check":"SysLogsXIDError","xid": 119}', [119]),
        ('DCGM_EXP_XID_ERRORS_COUNT{xid="31"} 2', [31]),
        ("we saw Xid 13, 31 and 43 in the night", [13, 31, 43]),
        ("XID error code 95 was raised", [95]),
    ],
)
def test_codes_that_something_mentions(text: str, codes: list[int]) -> None:
    names = [signal.name for signal in signals(text, Kind.PLAIN) if signal.name.startswith("xid.")]
    assert names == [f"xid.{code}" for code in codes]


@pytest.mark.parametrize(
    "text",
    [
        "no Xid 79 in dmesg",
        "There was never an Xid 79.",
        "Xid 79: 0",
        "Xid 79 was not seen",
        "every other Xid reads 0",
        "transaction xid 77123 aborted",
        "Xid errors: 11760",
        "Xid error rate 13.5 per day",
        "at 13:45 Xid 13:45",
    ],
)
def test_what_is_denied_or_counts_something_else_is_no_mention(text: str) -> None:
    assert [
        signal.name for signal in signals(text, Kind.OPERATOR_NOTES) if signal.name.startswith("xid.")
    ] == []


def test_the_device_that_the_line_names_is_the_entity() -> None:
    signal = only(
        "node: gpu-7, gpu: 3, quoted: Xid 149, NETIR_LINK_DOWN Fatal XC0 i0 Link 14",
        "xid.149",
        Kind.OPERATOR_NOTES,
    )
    assert (str(signal.entity), signal.family) == ("gpu 3 on gpu-7", Family.NOTE)
    assert told(signal, "link", "unit", "mentioned") == (14, "NETIR_LINK_DOWN", True)


def test_without_a_device_the_machine_is_the_entity() -> None:
    assert (
        str(only("Node r06-01 has 117 messages with Xid 45", "xid.45", Kind.OPERATOR_NOTES).entity)
        == "node r06-01"
    )


def test_what_repeats_a_kernel_line_is_a_witness_of_its_own_kind() -> None:
    text = "'nvidia.com/gpu' XidCriticalError: Xid=48 on Device=GPU-6f0c1a52-0000-4000-8000-000000000001"
    assert only(text, "xid.48", Kind.CONTAINER_LOG).family is Family.RUNTIME
    assert only("GpuXidError=True Xid 48", "xid.48", Kind.KUBECTL_DESCRIBE).family is Family.API_OBJECTS


def test_switch_codes_are_mentioned_too() -> None:
    assert told(only("SXid error 22013 link 5", "sxid.22013", Kind.PLAIN), "link") == (5,)
