from itertools import permutations

import pytest

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.evidence import Document
from firstfault.tools.extract import extract
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Reading
from firstfault.tools.scan.engine import LARGE_TEXT
from firstfault.tools.signals import Signal
from tests.documents import document

KERNEL = document(
    "[1.000001] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n",
    Kind.KERNEL_LOG,
    "raw/kernel.log",
)
SMI = document(
    "Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error\n",
    Kind.NVIDIA_SMI,
    "raw/smi.txt",
)
NOTE = document("The GPU shows Xid 79 again.\n", Kind.OPERATOR_NOTES, "raw/notes.txt")


def signals(*documents: Document) -> tuple[Signal, ...]:
    return extract(documents, [read(each, NO_CONTEXT) for each in documents], NO_CONTEXT)


def test_the_order_of_the_documents_changes_nothing() -> None:
    orders = [signals(*order) for order in permutations((KERNEL, SMI, NOTE))]
    assert all(each == orders[0] for each in orders)
    assert [signal.evidence.path for signal in orders[0]] == sorted(
        signal.evidence.path for signal in orders[0]
    )


def test_a_document_that_was_handed_in_twice_counts_once() -> None:
    again = document(KERNEL.text, Kind.KERNEL_LOG, "raw/kernel-copy.log")
    assert [signal.name for signal in signals(KERNEL, again)] == [signal.name for signal in signals(again)]


def test_the_same_text_of_two_machines_is_two_statements() -> None:
    one, two = (
        document("No devices were found\n", Kind.NVIDIA_SMI, f"raw/{node}.txt", node=node)
        for node in ("a", "b")
    )
    assert [str(signal.entity) for signal in signals(one, two) if signal.name == "smi.no_devices"] == [
        "node a",
        "node b",
    ]


def test_one_reading_for_all_documents_will_do() -> None:
    whole = read(KERNEL, NO_CONTEXT) + read(SMI, NO_CONTEXT)
    assert extract((KERNEL, SMI), whole, NO_CONTEXT) == signals(KERNEL, SMI)


def test_nothing_gives_nothing() -> None:
    assert extract((), Reading(), NO_CONTEXT) == ()


def test_large_documents_are_scanned_beside_each_other_and_say_what_each_says_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("firstfault.tools.parallel.os.cpu_count", lambda: 4)
    filling = "2026-03-01T03:00:00Z step 7 loss 2.1\n" * 30_000
    large = [
        document(
            filling + KERNEL.text + f"# {number}\n", Kind.KERNEL_LOG, f"raw/{number}.log", node=f"n{number}"
        )
        for number in range(6)
    ]
    alone = [signal for each in large for signal in signals(each)]
    assert sum(each.body.size for each in large) > LARGE_TEXT
    assert list(signals(*large)) == alone
    assert len({signal.entity.node for signal in alone}) == 6
