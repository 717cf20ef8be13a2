"""Which observations prove a class by themselves, and which only repeat what somebody else saw. Pure.

A decisive sign proves its class alone where its definition says why (`Proof`) and where it was read first-hand: in a
document in which the reporter itself speaks. Rivals are tested as ever (docs/adr/0012-observations-that-prove-themselves.md).
"""

from firstfault.agent.classes.definitions import Proof
from firstfault.agent.hypotheses.trials import Hit, Trial
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal

WORKLOAD_LOGS = frozenset({Kind.APPLICATION_LOG, Kind.CONTAINER_LOG})
MACHINE_SPEAKERS = frozenset({"bmc", "xid", "sxid", "nvrm", "kernel", "pcie", "smi", "dcgm", "fm"})
"""First parts of names of signals that a machine, its kernel or its drivers give."""


def is_hearsay(signal: Signal) -> bool:
    """Return whether a program's own output tells what only the machine can know: whoever writes a log can write that."""
    speaker = signal.name.partition(".")[0]
    return signal.evidence.kind in WORKLOAD_LOGS and speaker in MACHINE_SPEAKERS


def proving(trial: Trial) -> Proof | None:
    """Return why the class needs no second source, by the first criterion that proves it first-hand; else None."""
    return next(
        (hit.criterion.proof for hit in trial.hits if hit.criterion.proof and _is_first_hand(hit)), None
    )


def _is_first_hand(hit: Hit) -> bool:
    """Return whether every signal of the hit was read where its reporter speaks; a person's word never is."""
    proof = hit.criterion.proof
    return proof is not None and all(
        signal.evidence.kind in proof.kinds and not signal.said_by_human for signal in hit.signals
    )
