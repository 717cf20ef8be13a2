"""An observation that proves itself needs no second source; hearsay, people and open rivals take that from it."""

import pytest

from firstfault.agent.classes.definitions import ClassError, load_classes, parse_class
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.findings import Diagnosis, Verdict
from firstfault.agent.hypotheses.conclusions import conclude
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from tests.signals import signal

PANIC = """
class: host.kernel
title: "{entity} crashed"
owner: platform
sources: [test]
looks_for:
  - id: wanted
    strength: decisive
    any: [kernel.deliberate_crash]
    because: "crashed on purpose"
    proof: {kinds: [kernel_log, journal], because: "its last words name the crash"}
  - {id: panic, strength: decisive, any: [kernel.panic], because: "the kernel panicked"}
"""
DISK = """
class: storage.device_fault
title: disk
owner: platform
sources: [test]
looks_for: [{id: disk, strength: strong, any: [block.io_error], because: "reads fail"}]
"""
ONLY_PROVEN = PANIC + "confirmable: false\n"
WANTED = signal("kernel.deliberate_crash")


def diagnosed(*signals: Signal, panic: str = PANIC) -> Diagnosis:
    """Return the diagnosis over the two definitions."""
    definitions = [parse_class(panic, "test"), parse_class(DISK, "test")]
    return conclude(definitions, SignalSet(signals=signals), (), ()).diagnosis


def test_one_observation_that_proves_itself_is_confirmed_and_says_why() -> None:
    found = diagnosed(WANTED)
    assert found.verdict is Verdict.CONFIRMED
    assert "its last words name the crash" in found.because


def test_a_decisive_sign_without_a_proof_still_needs_a_second_source() -> None:
    found = diagnosed(signal("kernel.panic"))
    assert (found.verdict, found.because) == (Verdict.LIKELY, "no second independent source speaks for it")


@pytest.mark.parametrize("kind", [Kind.OPERATOR_NOTES, Kind.APPLICATION_LOG, Kind.PLAIN, Kind.ALERTS])
def test_what_was_not_read_first_hand_proves_nothing(kind: Kind) -> None:
    found = diagnosed(signal("kernel.deliberate_crash", path="raw/other.txt", kind=kind))
    assert found.verdict is Verdict.LIKELY


def test_an_open_rival_keeps_it_at_likely() -> None:
    found = diagnosed(WANTED, signal("block.io_error", line=2))
    assert found.verdict is Verdict.LIKELY
    assert "storage.device_fault" in found.because


def test_a_proof_is_the_only_way_to_confirm_a_class_that_sources_alone_cannot() -> None:
    node = signal("kernel.panic", path="raw/journal.log", kind=Kind.JOURNAL, line=2)
    assert diagnosed(signal("kernel.panic"), node, panic=ONLY_PROVEN).verdict is Verdict.LIKELY
    assert diagnosed(WANTED, panic=ONLY_PROVEN).verdict is Verdict.CONFIRMED


def test_only_a_decisive_criterion_can_be_a_proof() -> None:
    with pytest.raises(ClassError, match="not decisive"):
        parse_class(
            PANIC.replace("strength: decisive\n    any: [kernel.d", "strength: strong\n    any: [kernel.d"),
            "test",
        )


def test_every_shipped_proof_names_its_source_and_takes_no_persons_word() -> None:
    proofs = [(c, c.proof) for each in load_classes() for c in each.looks_for if c.proof is not None]
    assert proofs
    for criterion, proof in proofs:
        assert criterion.source, criterion.id
        assert not {Kind.OPERATOR_NOTES, Kind.CHANGE_LOG, Kind.PLAIN, Kind.ALERTS} & set(proof.kinds)
