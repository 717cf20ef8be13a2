import pytest

from firstfault.tools.entities import EntityKind
from firstfault.tools.kinds import Family, Kind
from tests.tools.extract.reading import only, signals, told

LINE = "[ 812.1] NVRM: Xid (PCI:0000:3b:00): {}"


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("PCI:0000:3b:00", "gpu/0000:3b:00"),
        ("0000:3B:00", "gpu/0000:3b:00"),
        ("PCI:0000:3b:00.0", "gpu/0000:3b:00"),
        ("PCI:00000000:3b:00", "gpu/0000:3b:00"),
        ("PCI:000a:00:00", "gpu/000a:00:00"),
    ],
)
def test_one_gpu_has_one_key_however_it_is_printed(address: str, key: str) -> None:
    assert only(f"NVRM: Xid ({address}): 79, GPU has fallen off the bus.", "xid.79").entity.key == key


def test_the_part_of_a_mig_gpu_is_told() -> None:
    line = "NVRM: Xid (PCI:0000:3b:00 GPU-I:05): 13, pid=77, name=python3, Graphics Exception: ESR 0x505730=0x10002"
    assert told(only(line, "xid.13"), "mig", "esr") == ("05", "0x505730")


@pytest.mark.parametrize(
    ("tail", "pid", "process"),
    [
        ("pid=901, name=pt_main_thread, Ch 00000008", 901, "pt_main_thread"),
        ("pid='<unknown>', name=<unknown>, Ch 00000008", None, None),
        ("pid=<unknown>, name=<unknown>, Ch 00000008", None, None),
        ("Ch 00000008", None, None),
    ],
)
def test_the_process_is_told_when_the_driver_knows_it(
    tail: str, pid: int | None, process: str | None
) -> None:
    signal = only(LINE.format(f"43, {tail}"), "xid.43")
    assert told(signal, "pid", "process", "channel") == (pid, process, "00000008")


def test_an_exception_names_its_place_on_the_chip() -> None:
    line = LINE.format(
        "13, pid=5, name=a, Graphics SM Warp Exception on (GPC 2, TPC 3, SM 1): Out Of Range Address"
    )
    assert told(only(line, "xid.13"), "gpc", "tpc", "sm", "exception") == (2, 3, 1, "Out Of Range Address")


def test_a_page_fault_is_taken_apart() -> None:
    line = LINE.format(
        "31, pid=5, name=a, Ch 00000010, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ "
        "0x7f2a_10000000. Fault is of type FAULT_PTE ACCESS_TYPE_VIRT_READ"
    )
    wanted = ("GRAPHICS", "GPCCLIENT_T1_3", "0x7f2a_10000000", "FAULT_PTE", "ACCESS_TYPE_VIRT_READ")
    assert told(only(line, "xid.31"), "engine", "client", "addr", "fault", "access") == wanted


def test_a_clean_up_names_the_earlier_code() -> None:
    line = LINE.format("45, pid=5, name=a, channel 0x00000012 was reset, caused by previous Xid 31")
    assert told(only(line, "xid.45"), "root_xid") == (31,)
    assert [signal.name for signal in signals(line)] == ["xid.45"]


@pytest.mark.parametrize(
    ("change", "new", "recovered"),
    [
        ("0x0 (None) to 0x1 (GPU Reset Required)", "GPU Reset Required", False),
        ("0x1 (GPU Reset Required) to 0x0 (None)", "None", True),
    ],
)
def test_the_recovery_summary(change: str, new: str, *, recovered: bool) -> None:
    line = LINE.format(f"154, GPU recovery action changed from {change}")
    assert told(only(line, "xid.154"), "new", "recovered") == (new, recovered)


@pytest.mark.parametrize(
    "text",
    [
        "Timeout waiting for RPC from GSP! Expected function 76 (GSP_RM_CONTROL) (0x20801348 0x410).",
        "Timeout after 45s of waiting for RPC response from GPU3 GSP! Expected function 76 (GSP_RM_CONTROL) sequence 4129.",
    ],
)
def test_a_firmware_time_out_names_what_was_asked(text: str) -> None:
    assert told(only(LINE.format(f"119, pid=1, name=x, {text}"), "xid.119"), "function_no", "function") == (
        76,
        "GSP_RM_CONTROL",
    )


def test_a_contained_error_names_its_unit() -> None:
    line = LINE.format("94, pid='<unknown>', name=<unknown>, Contained: SM (0x1). RST: No, D-RST: No")
    assert told(only(line, "xid.94"), "unit", "reset") == ("SM", "No")


def test_remap_texts_give_their_own_signal_beside_the_code() -> None:
    line = LINE.format(
        "64, pid=1, name=x, Row Remapper Error: (0x1) - All reserved rows for bank are remapped"
    )
    assert {signal.name for signal in signals(line)} == {"xid.64", "nvrm.row_remap_failed"}
    assert told(only(line, "xid.64"), "remap") == ("All reserved rows for bank are remapped",)


def test_what_each_says_stands_beside_the_signal_unmerged() -> None:
    signal = only(LINE.format("63, pid=1, name=x, Row Remapper: New row marked for remapping"), "xid.63")
    assert told(signal, "action_nvidia", "mnemonic") == ("IGNORE", "INFOROM_DRAM_RETIREMENT_EVENT")
    assert "disagreement" in signal.attributes


def test_a_code_that_nobody_knows_is_still_a_signal() -> None:
    assert told(only(LINE.format("199, something new"), "xid.199"), "in_catalogue") == (False,)


def test_the_host_of_the_line_or_of_the_document_is_the_node() -> None:
    line = "Jul  1 10:11:12 gpu-7 kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."
    assert only(line, "xid.79", Kind.SYSLOG).entity.node == "gpu-7"
    assert only(line, "xid.79", Kind.SYSLOG, node="gpu-7.example").entity.node == "gpu-7.example"


@pytest.mark.parametrize("kind", [Kind.SYSLOG, Kind.JOURNAL, Kind.PLAIN, Kind.CONTAINER_LOG])
def test_a_kernel_line_is_the_kernel_speaking_wherever_it_was_copied_to(kind: Kind) -> None:
    assert only(LINE.format("79, GPU has fallen off the bus."), "xid.79", kind).family is Family.KERNEL


def test_a_kernel_line_in_a_note_is_still_a_note() -> None:
    signal = only(LINE.format("79, GPU has fallen off the bus."), "xid.79", Kind.OPERATOR_NOTES)
    assert signal.family is Family.NOTE
    assert signal.said_by_human
    assert signal.entity.kind is EntityKind.GPU


def test_programs_are_told_apart_and_clean_ups_are_not() -> None:
    two = "\n".join(LINE.format(f"{{}}, pid={pid}, name=a, Ch 1") for pid in (1, 2))
    assert len([s for s in signals(two.replace("{}", "31")) if s.name == "xid.31"]) == 2
    assert only(two.replace("{}", "45"), "xid.45").count == 2
