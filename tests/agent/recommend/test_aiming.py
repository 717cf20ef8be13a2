"""What an action is aimed at, and what is said with it: only what fits the action, only what the evidence names."""

import pytest

from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.facts.targets import UNNAMED, kinds_for
from firstfault.agent.findings import Diagnosis, Verdict
from firstfault.agent.recommend.aiming import aim, parameters_of
from firstfault.policies.actions import EXECUTABLE, Action
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.signals import Signal
from tests.signals import gpu, node, pod, signal

RANK = EntityRef(kind=EntityKind.RANK, name="3")
JOB = EntityRef(kind=EntityKind.JOB, name="llm", namespace="train")
UUID = "GPU-5c3a1c9e-26f0-4b2a-9b60-1f2d3c4b5a69"


def aimed(action: Action, wanted: EntityRef, *seen: Signal, own: int = 1) -> str:
    """Return the key of the target; the first `own` signals are those of the class."""
    return aim(action, wanted, seen[:own], SignalSet(signals=seen)).key


def said(action: Action, culprit: EntityRef, target: EntityRef, *seen: Signal) -> dict[str, str]:
    """Return the parameters."""
    diagnosis = Diagnosis(verdict=Verdict.LIKELY, failure_class="x.y", summary="x", culprit=culprit)
    return dict(parameters_of(action, diagnosis, target, SignalSet(signals=seen)))


def test_what_fits_is_kept() -> None:
    assert aimed(Action.RESTART_JOB_FROM_CHECKPOINT, JOB) == JOB.key
    assert aimed(Action.GPU_RESET, gpu("0000:91:00")) == gpu("0000:91:00").key


@pytest.mark.parametrize("action", sorted(EXECUTABLE))
@pytest.mark.parametrize("kind", sorted(EntityKind))
def test_a_target_always_fits_its_action(action: Action, kind: EntityKind) -> None:
    found = aim(action, EntityRef(kind=kind, name="thing", node="n1"), (), SignalSet(signals=()))

    assert found.kind in kinds_for(action)
    assert found.name in {"thing", "n1", UNNAMED}


def test_the_job_of_a_rank_is_the_one_that_its_signals_name() -> None:
    of_rank = signal("nccl.timeout", entity=RANK, attributes={"job": "llm", "namespace": "train"})
    assert aimed(Action.RESTART_JOB_FROM_CHECKPOINT, RANK, of_rank) == JOB.key


def test_the_only_job_that_was_seen_is_the_one_and_of_two_neither() -> None:
    cause, seen = signal("xid.79"), signal("kube.pod.pending", entity=JOB)
    other = signal("kube.pod.pending", entity=EntityRef(kind=EntityKind.JOB, name="eval", namespace="train"))
    action = Action.RESTART_JOB_FROM_CHECKPOINT

    assert aimed(action, RANK, cause, seen) == JOB.key
    assert aimed(action, RANK, cause, seen, other) == EntityRef(kind=EntityKind.JOB, name=UNNAMED).key


def test_a_gpu_is_taken_from_its_link_and_else_the_machine() -> None:
    link = EntityRef(kind=EntityKind.NVLINK, name="Link 4", node="n1")

    beside = gpu("0000:91:00", "n1")
    assert aimed(Action.GPU_RESET, link, signal("smi.link", entity=beside)) == beside.key
    assert aimed(Action.GPU_RESET, link, signal("smi.link", entity=link)) == node("n1").key


def test_a_job_stays_away_from_the_machine_that_failed() -> None:
    action = Action.RESTART_JOB_FROM_CHECKPOINT
    on_n1 = signal("xid.79", entity=gpu("0000:91:00"), attributes={"node": "n1"})

    assert said(action, node("n1"), JOB) == {"avoid_node": "n1"}
    assert said(action, gpu("0000:91:00", "n1"), JOB) == {"avoid_node": "n1"}
    assert said(action, gpu("0000:91:00"), JOB, on_n1) == {"avoid_node": "n1"}
    assert said(action, gpu("0000:91:00"), JOB) == {}
    assert said(action, node(UNNAMED), JOB) == {}
    assert said(action, node("../n1"), JOB) == {}
    assert said(action, pod("web"), JOB) == {}


def test_a_reset_names_the_device_where_a_source_gave_its_uuid() -> None:
    metric = signal(
        "dcgm.xid", entity=gpu("00000000:91:00.0", "n1"), attributes={"UUID": UUID, "pci_bus_id": "91:00.0"}
    )
    here, elsewhere = gpu("0000:91:00", "n1"), gpu("0000:91:00", "n2")

    assert said(Action.GPU_RESET, here, here, metric) == {"gpu_uuid": UUID}
    assert said(Action.GPU_RESET, elsewhere, elsewhere, metric) == {}
    assert said(Action.CORDON_NODE, here, here, metric) == {}
