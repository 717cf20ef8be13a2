"""Roles on the timeline: nothing follows from what came after it, and a good sign is no symptom."""

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.correlate.echoes import find_echoes, load_echo_rules
from firstfault.agent.hypotheses.conclusions import conclude
from firstfault.agent.hypotheses.timeline import build_timeline
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from tests.signals import signal


def roles(*signals: Signal) -> dict[str, str]:
    echoes = find_echoes(signals, load_echo_rules())
    known = SignalSet(signals=signals, echoes={echo.index: echo.because for echo in echoes})
    best = conclude(load_classes(), known, echoes, ()).best
    return {entry.signal.name: entry.role.value for entry in build_timeline(signals, echoes, best)}


def test_what_was_seen_long_before_the_first_fault_does_not_follow_from_it() -> None:
    found = roles(
        signal("pcie.aer_corrected", at_s=-90_000),
        signal("xid.79", line=2, at_s=0),
        signal("nccl.peer_silent", line=3, at_s=30, kind=Kind.APPLICATION_LOG),
    )
    assert found == {"pcie.aer_corrected": "context", "xid.79": "cause", "nccl.peer_silent": "symptom"}


def test_a_communicator_that_came_up_is_no_symptom() -> None:
    found = roles(
        signal("xid.79", at_s=0), signal("nccl.comm_init", line=2, at_s=1, kind=Kind.APPLICATION_LOG)
    )
    assert found["nccl.comm_init"] == "context"


def test_a_fault_of_a_program_that_ended_long_ago_is_not_why_ranks_wait_now() -> None:
    wait = signal("collective.hang_start", line=2, at_s=0, kind=Kind.APPLICATION_LOG)
    assert roles(signal("xid.31", at_s=-86_400), wait)["xid.31"] == "context"
    assert roles(signal("xid.31", at_s=-30), wait)["xid.31"] == "cause"
