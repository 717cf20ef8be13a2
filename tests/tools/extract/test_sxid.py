from firstfault.tools.entities import EntityKind
from tests.tools.extract.reading import only, signals, told

SWITCH = "[ 5.{}] nvidia-nvswitch1: SXid (PCI:0000:c3:00.0): {}"


def test_a_headline_gives_switch_link_class_and_what_is_known() -> None:
    signal = only(SWITCH.format(1, "20034, Fatal, Link 48 LTSSM Fault Up"), "sxid.20034")
    assert signal.entity.kind is EntityKind.NVSWITCH
    assert told(signal, "switch", "link", "class", "text") == (1, 48, "Fatal", "LTSSM Fault Up")
    assert told(signal, "mnemonic") == ("DLPL_LTSSM_FAULT_UP",)


def test_detail_lines_belong_to_their_headline() -> None:
    text = "\n".join(
        (
            SWITCH.format(1, "20034, Fatal, Link 48 LTSSM Fault Up"),
            SWITCH.format(2, "20034, Severity 1 Engine instance 48 Sub-engine instance 00"),
            SWITCH.format(3, "20034, Data {0x10000000, 0x10000000, 0x00000000}"),
        )
    )
    signal = only(text, "sxid.20034")
    assert (signal.count, signal.evidence.line_start) == (1, 1)


def test_a_detail_whose_headline_was_cut_away_still_counts() -> None:
    signal = only(
        SWITCH.format(1, "20034, Severity 1 Engine instance 60 Sub-engine instance 00"), "sxid.20034"
    )
    assert told(signal, "link", "class") == (60, "Fatal")


def test_links_are_told_apart() -> None:
    text = "\n".join(
        SWITCH.format(n, f"12028, Non-fatal, Link {n} egress non-posted PRIV error") for n in (3, 4)
    )
    assert [told(signal, "link") for signal in signals(text)] == [(3,), (4,)]


def test_lines_without_class_or_link_are_signals_too() -> None:
    signal = only(SWITCH.format(1, "10004, Temperature 106C is above the limit"), "sxid.10004")
    assert told(signal, "link", "text") == (None, "Temperature 106C is above the limit")
