"""A small GPU cluster on the stand-in, an executor over it, and decisions that people approved."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import settings

from firstfault.agent.executor.cluster import WritableCluster
from firstfault.agent.executor.equipment import Equipment
from firstfault.agent.executor.looking import look
from firstfault.agent.executor.plans.planning import PlanSettings
from firstfault.agent.executor.service import Service
from firstfault.agent.facts.repairs import load_repairs
from firstfault.agent.facts.settings import Switches
from firstfault.agent.gate.approving import ApprovalDesk
from firstfault.agent.gate.files import load_limits, load_policies
from firstfault.agent.gate.past import read_history
from firstfault.agent.store import Store
from firstfault.agent.store.decisions import DecisionRecord, Origin, decision_record
from firstfault.agent.store.ledger import Execution
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.kube_kinds import BUILT_IN, CUSTOM, ServedKind
from firstfault.policies import (
    Action,
    Certainty,
    Facts,
    Limits,
    Mode,
    ModeTable,
    Policies,
    Proposal,
    Target,
    TargetKind,
    decide,
)
from firstfault.policies.actions import EXECUTABLE
from firstfault.policies.approvals import Approval, Roster, Vote
from firstfault.policies.engine import inputs_of
from firstfault.policies.facts import CauseFacts
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.settings import KubeSettings

START = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
NODE = "gpu-00003"
KINDS = {kind.kind: kind for kind in (*BUILT_IN, *CUSTOM)}
PEOPLE = frozenset({"ada", "grace"})
ROSTER = Roster(groups={"sre": PEOPLE}, actions=dict.fromkeys(EXECUTABLE, frozenset({"group:sre"})))


class ScriptedClock:
    """Time that passes only when somebody waits; a wait of the executor costs nothing."""

    def __init__(self, start: datetime = START) -> None:
        self._at = start

    def now(self) -> datetime:
        return self._at

    def wait(self, seconds: float) -> None:
        self._at += timedelta(seconds=seconds)

    def set(self, at: datetime) -> None:
        self._at = at


def is_full_run() -> bool:
    """Return whether the suites are to run in full (`make attacks`)."""
    return settings.get_current_profile_name() == "attacks"


def kind(name: str) -> ServedKind:
    return KINDS[name]


def load_cluster(api: KubeApi, *, nodes: int = 20) -> None:
    """Put 20 GPU nodes in racks of four under two switches, and one control-plane node."""
    api.store.load(kind("Node"), [_node(number) for number in range(nodes)])
    control = {
        "metadata": {"name": "control-0", "labels": {"node-role.kubernetes.io/control-plane": ""}},
        "spec": {},
    }
    api.store.load(
        kind("Node"), [{**control, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}]
    )


def _node(number: int) -> dict[str, Any]:
    labels = {
        "nvidia.com/gpu.present": "true",
        "rack": f"r{number // 4}",
        "switch": f"leaf{number % 2}",
        "eks.amazonaws.com/nodegroup": "h100",
    }
    return {
        "metadata": {"name": f"gpu-{number:05d}", "labels": labels},
        "spec": {},
        "status": {
            "capacity": {"nvidia.com/gpu": "8"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name: str, node: str = NODE, *, owner: str = "ReplicaSet", **changes: object) -> dict[str, Any]:
    """Return a pod of the namespace research that its controller would bring back."""
    base: dict[str, Any] = {
        "metadata": {
            "name": name,
            "namespace": "research",
            "labels": {"app": "serving"},
            "ownerReferences": [{"kind": owner, "name": "serving", "uid": "u-1", "controller": True}],
        },
        "spec": {"nodeName": node, "containers": [{"name": "main", "image": "x"}]},
        "status": {"phase": "Running"},
    }
    base["metadata"] |= changes.pop("metadata", {})
    base["spec"] |= changes.pop("spec", {})
    return base | changes


@dataclass(kw_only=True)
class Bench:
    """An executor at work on one cluster. Fields can be replaced before `service` is asked for."""

    api: KubeApi
    store: Store
    folder: Path
    clock: ScriptedClock = field(default_factory=ScriptedClock)
    policies: Policies = field(default_factory=load_policies)
    limits: Limits = field(default_factory=load_limits)
    holder: str = "executor-0"
    cells: dict[tuple[str, Action], Mode] = field(default_factory=dict[tuple[str, Action], Mode])
    roster: Roster = ROSTER
    is_killed: bool = False
    before_request: Callable[[], str | None] | None = None
    read_s: float = 2.0
    token: str = ADMIN_TOKEN

    def equipment(self) -> Equipment:
        token = self.folder / f"token-{self.token}"
        token.write_text(self.token)
        kube = KubeSettings(host=self.api.url, token_file=token, read_s=self.read_s, page_size=7)
        return Equipment(
            store=self.store,
            door=ReadDoor(kube),
            cluster=WritableCluster(kube),
            policies=self.policies,
            limits=self.limits,
            plans=PlanSettings(repairs=load_repairs("nvsentinel")),
            clock=self.clock,
            holder=self.holder,
            switches=lambda: Switches(kill_switch=self.is_killed),
            modes=lambda: ModeTable(cells=self.cells),
            roster=lambda: self.roster,
            stop_reason=self._stop_reason,
        )

    def _stop_reason(self) -> str | None:
        if self.is_killed:
            return "the kill switch is on"
        return self.before_request() if self.before_request else None

    def once_running(self, happen: Callable[[], object]) -> None:
        """Have something happen just before the first request of a run: facts were read well by then."""
        self.before_request = lambda: self._happen(happen)

    def _happen(self, happen: Callable[[], object]) -> None:
        self.before_request = None
        happen()

    def ending(self, decision_id: str) -> Execution:
        """Return the execution of a decision, which must have ended."""
        execution = self.store.executions.of_decision(decision_id)
        assert execution is not None
        assert execution.ended_at is not None
        return execution

    @property
    def service(self) -> Service:
        return Service(self.equipment())

    @property
    def desk(self) -> ApprovalDesk:
        return ApprovalDesk(store=self.store, roster=self.roster)

    def allow(self, action: Action, failure_class: str, mode: Mode = Mode.APPROVE) -> None:
        self.cells[(failure_class, action)] = mode

    def decide(self, asked: Proposal) -> DecisionRecord:
        """Return the decision on a proposal with live facts, as the agent would have stored it."""
        seen = CauseFacts(observed_at=self.clock.now(), shared_cause=False, cheaper_remedy_failed=True)
        looked = look(self.equipment(), self._record(asked, Facts(cause=seen)), 0)
        return self.store.decisions.put(self._record(asked, looked.facts))

    def _record(self, asked: Proposal, known: Facts) -> DecisionRecord:
        history = read_history(self.store)
        word = decide(asked, known, history, self.limits, self.policies)
        inputs = inputs_of(asked, known, history, self.limits, self.policies)
        return decision_record(
            inputs, word, correlation_id="c-1", made_at=self.clock.now(), origin=Origin.LIVE
        )

    def approved(self, asked: Proposal, by: tuple[str, ...] = ("ada",)) -> DecisionRecord:
        """Return a decision that people have approved."""
        record = self.decide(asked)
        approval = self.desk.ask(record, self.clock.now())
        assert approval is not None, record.decision.reasons
        for person in by:
            self.vote(approval, person)
        return record

    def vote(self, approval: Approval, person: str, *, is_yes: bool = True) -> Approval:
        return self.desk.vote(
            approval.id, Vote(approver=person, is_yes=is_yes, at=self.clock.now(), via="test")
        )

    def node(self, name: str = NODE) -> Mapping[str, Any]:
        return self.api.store.get(kind("Node"), name)

    def writes(self) -> list[tuple[str, str]]:
        return [(each.method, each.path) for each in self.api.writes]

    def events(self) -> list[str]:
        return [event.kind for event in self.store.audit.events()]


def asking(action: Action, target: Target | None = None, **changes: object) -> Proposal:
    """Return a well-founded proposal on the usual node."""
    base = Proposal(
        action=action,
        target=target or Target(kind=TargetKind.NODE, name=NODE),
        failure_class="gpu.firmware_hang",
        certainty=Certainty.CONFIRMED,
        evidence=frozenset({"ev-000000000001"}),
        families=frozenset({"driver", "api_objects"}),
        known_signature=True,
        incident_id="inc-1",
        proposed_at=START - timedelta(minutes=1),
        expires_at=START + timedelta(hours=2),
    )
    return replace(base, **changes)
