"""A device report in a program's log: first-hand where nothing better is there, a quotation where the kernel says otherwise."""

from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Family, Kind
from firstfault.tools.signals import Signal
from tests.documents import document
from tests.tools.extract.test_composition import signals

LOST = (
    "[5100.54] NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
)
HINT = (
    'INFO hint: users who saw "NVRM: Xid (PCI:0000:17:00): 48, pid=12, name=python, An uncorrectable double bit error '
    '(DBE) has been detected on GPU" should restart\n'
)


def kernel(text: str, node: str) -> Document:
    return document(text, Kind.KERNEL_LOG, f"raw/{node}-kernel.log", node=node)


def program(text: str, node: str) -> Document:
    return document(text, Kind.APPLICATION_LOG, f"raw/{node}-train.log", node=node)


def named(found: tuple[Signal, ...], prefix: str) -> list[str]:
    return sorted({signal.name for signal in found if signal.name.startswith(prefix)})


def test_what_the_kernel_of_the_machine_does_not_have_is_quoted() -> None:
    found = signals(kernel(LOST, "n1"), program(HINT, "n1"))
    assert named(found, "xid.") == ["xid.79"]
    quoted = [signal for signal in found if signal.name == "quoted.device_report"]
    assert [(signal.attributes["says"], signal.family) for signal in quoted] == [
        ("xid.48", Family.APPLICATION)
    ]
    assert quoted[0].evidence.excerpt == HINT.rstrip("\n")


def test_the_kernel_log_of_another_machine_says_nothing_about_it() -> None:
    assert named(signals(kernel(LOST, "n1"), program(HINT, "n2")), "xid.") == ["xid.48", "xid.79"]


def test_a_kernel_log_without_device_reports_does_not_speak_against_it() -> None:
    quiet = kernel("[1.0] Linux version 5.15.0\n", "n1")
    assert named(signals(quiet, program(HINT, "n1")), "xid.") == ["xid.48"]


def test_what_both_say_stays_a_report() -> None:
    found = signals(kernel(LOST, "n1"), program(LOST, "n1"))
    assert named(found, "xid.") == ["xid.79"]
    assert named(found, "quoted.") == []
