"""The gate of a live incident: facts from the cluster, decisions kept, people asked where a cell is in approve mode."""

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import pytest

from firstfault.agent.facts.gate import Gatekeeper
from firstfault.agent.facts.settings import Switches
from firstfault.agent.findings import (
    CommonCause,
    Diagnosis,
    Hypothesis,
    Incident,
    Recommendation,
    Standing,
    Verdict,
)
from firstfault.agent.gate.approving import ApprovalDesk
from firstfault.agent.gate.live import LiveGatekeeper
from firstfault.agent.store import Store, open_store
from firstfault.agent.store.decisions import Origin
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.evals.sim.kube_kinds import CUSTOM
from firstfault.policies import Action, Mode, ModeTable
from firstfault.policies.approvals import ApprovalState
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document, Evidence
from firstfault.tools.kinds import Kind
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.readings import Reading
from firstfault.tools.signals import Signal
from tests.agent.executor.kit import NODE, ROSTER, START, load_cluster
from tests.policies.worlds import limits, policies

CELL = ("gpu.firmware_hang", Action.CORDON_NODE)


INCIDENT = Incident(id="inc-1", question="?", correlation_id="c-1")
DIAGNOSIS = Diagnosis(verdict=Verdict.CONFIRMED, failure_class="gpu.firmware_hang", summary="GSP hangs")
BEST = Hypothesis(
    failure_class="gpu.firmware_hang",
    standing=Standing.SUPPORTED,
    because="x",
    families=("kernel", "metrics"),
    decisive=True,
)


def evidence() -> Evidence:
    body = MemoryBody(b"NVRM: Xid 119\n")
    return Document(path="k.log", kind=Kind.KERNEL_LOG, body=body, source="x", query="x").cite(1)


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the graph's gate node hands over."""

    recommendations: tuple[Recommendation, ...]
    incident: Incident = INCIDENT
    diagnosis: Diagnosis = DIAGNOSIS
    best: Hypothesis | None = BEST
    common_causes: tuple[CommonCause, ...] = ()
    reading: Reading = field(default_factory=Reading)
    signals: tuple[Signal, ...] = ()
    now: datetime = START


def cordon(node: str = NODE) -> Recommendation:
    target = EntityRef(kind=EntityKind.NODE, name=node)
    return Recommendation(
        action=Action.CORDON_NODE, target=target, why="x", reversible=True, evidence=(evidence(),)
    )


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "state") as opened:
        yield opened


@pytest.fixture
def api() -> Generator[KubeApi]:
    with KubeApi(served=CUSTOM) as served:
        load_cluster(served)
        yield served


@pytest.fixture
def keeper(api: KubeApi, store: Store, tmp_path: Path) -> LiveGatekeeper:
    (tmp_path / "token").write_text(ADMIN_TOKEN)
    return LiveGatekeeper(
        recorded=Gatekeeper(
            policies=policies(),
            limits=limits(),
            modes=ModeTable(cells={CELL: Mode.APPROVE}),
            switches=lambda: Switches(kill_switch=False),
        ),
        door=ReadDoor(KubeSettings(host=api.url, token_file=tmp_path / "token", read_s=2)),
        desk=ApprovalDesk(store=store, roster=ROSTER),
        clock=lambda: START,
    )


def test_people_are_asked_and_the_decision_is_kept_with_its_facts(
    keeper: LiveGatekeeper, store: Store
) -> None:
    (part,) = keeper(Request(recommendations=(cordon(),)))

    assert (part.decision, part.would_be, part.mode) == ("NEEDS_APPROVAL", "NEEDS_APPROVAL", "approve")
    (record,) = store.decisions.of_incident("inc-1")
    assert record.origin is Origin.LIVE
    assert record.facts.known()["rack_nodes"] == 4
    assert record.proposal.families == {"kernel", "metrics"}
    (approval,) = store.approvals.of_incident("inc-1")
    assert approval.state(START) is ApprovalState.PENDING


def test_what_could_not_be_read_is_in_the_audit(keeper: LiveGatekeeper, store: Store, api: KubeApi) -> None:
    path = "/apis/policy/v1/poddisruptionbudgets"
    api.faults.append(Fault(trouble=Trouble.REFUSE, path=path, code=403, times=9))

    keeper(Request(recommendations=(cordon(),)))

    (unread,) = [event for event in store.audit.events() if event.kind == "facts.unread"]
    assert "poddisruptionbudgets" in unread.why
    assert unread.subject == "inc-1"


def test_asking_again_for_the_same_asks_nobody_twice(keeper: LiveGatekeeper, store: Store) -> None:
    keeper(Request(recommendations=(cordon(),)))
    keeper(Request(recommendations=(cordon(),)))

    assert len(store.decisions.of_incident("inc-1")) == 1
    assert store.audit.count("approval.asked") == 1

    again = replace(INCIDENT, correlation_id="c-2")
    keeper(Request(recommendations=(cordon(),), incident=again))

    assert len(store.decisions.of_incident("inc-1")) == 2
    assert len(store.approvals.of_incident("inc-1")) == 1


def test_a_shared_cause_and_an_unknown_node_are_denied_and_nobody_is_asked(
    keeper: LiveGatekeeper, store: Store
) -> None:
    cause = CommonCause(dimension="switch", value="leaf1", affected=3, total=10, lift=3.0, p_value=0.001)
    request = Request(recommendations=(cordon(), cordon("gpu-77777")), common_causes=(cause,))

    shared, unknown = keeper(request)

    assert "blast.shared_cause" in shared.determining
    assert "facts.missing.node_identity" in unknown.determining
    assert store.approvals.of_incident("inc-1") == ()


def test_a_cell_in_shadow_asks_nobody(keeper: LiveGatekeeper, store: Store) -> None:
    silent = replace(keeper, recorded=replace(keeper.recorded, modes=ModeTable()))

    (part,) = silent(Request(recommendations=(cordon(),)))

    assert (part.decision, part.would_be) == ("DENY", "NEEDS_APPROVAL")
    assert store.approvals.of_incident("inc-1") == ()
