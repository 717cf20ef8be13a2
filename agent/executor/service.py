"""The executor's own rounds: what was begun goes on, what was approved is looked at again, decided again, and run once.

Its only input is a decision id. Facts are read anew, the gate is asked anew, and the permit is made and used up in one write:
of two executors one has it.
"""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

from firstfault.agent.executor.attempts import HaltedError
from firstfault.agent.executor.equipment import Equipment
from firstfault.agent.executor.journal import Journal
from firstfault.agent.executor.looking import Looked, look, what_changed
from firstfault.agent.executor.plans import plan_for
from firstfault.agent.executor.runner import Runner
from firstfault.agent.executor.steps import NoPlanError, Plan, plan_from, plan_text, steps_in_words
from firstfault.agent.facts.live import read_snapshot
from firstfault.agent.facts.snapshot import FACTS_UNREAD
from firstfault.agent.gate.breaking import judge_breakers, outages_of
from firstfault.agent.gate.past import EXECUTION_BEGUN
from firstfault.agent.store.canon import digest
from firstfault.agent.store.decisions import DecisionRecord, Origin
from firstfault.agent.store.errors import ForgedRowError, TakenError
from firstfault.agent.store.ledger import Execution, Permit
from firstfault.policies import Outcome
from firstfault.policies.approvals import ApprovalState, binding_of
from firstfault.policies.breakers import Outage
from firstfault.policies.contexts import scopes_of

PERMIT_MARGIN = timedelta(minutes=10)


class Word(StrEnum):
    """What became of a decision in one round."""

    WAITING = "waiting"
    HELD = "held"
    REFUSED = "refused"
    TAKEN = "taken"
    RUN = "run"
    HALTED = "halted"


class Service:
    """One executor."""

    def __init__(self, equipment: Equipment) -> None:
        """Take what to work with."""
        self._with = equipment

    def round(self) -> dict[str, Word]:
        """Return what became of every execution and decision in one round."""
        words: dict[str, Word] = {}
        for execution in self._with.store.executions.running():
            words[execution.decision_id] = self._run(execution, plan_from(execution.plan), {})
        for decision_id in self._with.store.decisions.waiting(self._with.clock.now()):
            words[decision_id] = self.consider(decision_id)
        return words

    def consider(self, decision_id: str) -> Word:
        """Return what became of one decision: it runs only if it is allowed now, and was approved as it stands now."""
        try:
            record = self._with.store.decisions.get(decision_id)
            approvers = self._approvers(record)
        except ForgedRowError as error:
            self._with.append("forged-rows", decision_id, "row.forged", f"{decision_id}/{error}", str(error))
            return Word.REFUSED
        if record.origin is not Origin.LIVE:
            self._refuse(record, "its facts come from a recording: only decisions on a live cluster are run")
            return Word.REFUSED
        return Word.WAITING if approvers is None else self._look_again(record, approvers)

    def _look_again(self, record: DecisionRecord, approvers: int) -> Word:
        looked = look(self._with, record, approvers)
        if looked.snapshot.gaps:
            gaps = "; ".join(looked.snapshot.gaps)
            self._with.note(record, FACTS_UNREAD, digest(gaps)[:12], gaps)
        if approvers and binding_of(record.proposal, looked.decision.digests) != record.binding:
            self._refuse(record, what_changed(record, looked))
            return Word.REFUSED
        if looked.decision.decision is not Outcome.ALLOW:
            reasons = "; ".join(looked.decision.reasons)
            self._with.note(record, "execution.held", digest(list(looked.decision.determining))[:12], reasons)
            return Word.HELD
        try:
            plan = plan_for(record.proposal, record.id, looked.snapshot, self._with.plans)
        except NoPlanError as error:
            self._with.note(record, "execution.held", "no plan", str(error))
            return Word.HELD
        return self._begin(record, looked, plan)

    def preview(self, decision_id: str) -> Plan:
        """Return the plan that would run now; nothing is written anywhere. Raises NoPlanError."""
        record = self._with.store.decisions.get(decision_id)
        settings = self._with.plans
        snapshot = read_snapshot(
            self._with.door, record.proposal.target, settings.facts, self._with.clock.now
        )
        return plan_for(record.proposal, record.id, snapshot, settings)

    def _approvers(self, record: DecisionRecord) -> int | None:
        """Return how many people approved exactly this decision; None while it is still to be approved, or no longer is."""
        if record.decision.decision is Outcome.ALLOW:
            return 0
        approval = self._with.store.approvals.of_decision(record.id)
        if approval is None or approval.state(self._with.clock.now()) is not ApprovalState.APPROVED:
            return None
        if approval.binding != record.binding:
            return None
        counting = self._with.roster().still_counting(approval)
        if len(counting) < approval.needed:
            gone = ", ".join(f"`{person}`" for person in sorted(approval.approvers - counting))
            why = (
                f"{gone} may not approve {record.proposal.action} by [approvers] in the settings of this executor: "
                "name them there, or have somebody else say yes"
            )
            self._with.note(record, "execution.held", digest(gone)[:12], why)
            return None
        return len(counting)

    def _begin(self, record: DecisionRecord, looked: Looked, plan: Plan) -> Word:
        now = self._with.clock.now()
        permit = Permit(
            id=f"prm-{digest(record.id)[:16]}",
            decision_id=record.id,
            binding=record.binding,
            holder=self._with.holder,
            issued_at=now,
            expires_at=now + timedelta(seconds=plan.deadline_s) + PERMIT_MARGIN,
        )
        scopes = scopes_of(record.proposal, looked.facts) - {"cluster", record.proposal.target.key}
        execution = Execution(
            id=f"exe-{digest(record.id)[:16]}",
            decision_id=record.id,
            incident_id=record.incident_id,
            correlation_id=record.correlation_id,
            action=record.proposal.action,
            target=record.proposal.target.key,
            scopes=tuple(sorted(scopes)),
            plan=plan_text(plan),
            begun_at=now,
        )
        try:
            with self._with.store.together():
                self._with.store.executions.begin(permit, execution)
                why = f"{steps_in_words(len(plan.steps))} by {self._with.holder}"
                self._with.note(record, EXECUTION_BEGUN, execution.id, why)
        except TakenError:
            return Word.TAKEN
        return self._run(execution, plan, outages_of(looked.facts.fleet))

    def _run(self, execution: Execution, plan: Plan, outages: Mapping[str, Outage]) -> Word:
        equipment = self._with
        journal = Journal(equipment.store, execution)
        runner = Runner(equipment.cluster, journal, equipment.clock, equipment.stop_reason)
        try:
            outcome = runner.run(plan, execution.begun_at)
        except HaltedError as error:
            equipment.note(execution, "execution.halted", str(error), str(error))
            return Word.HALTED
        now = equipment.clock.now()
        scopes = (execution.target, *execution.scopes)
        with equipment.store.together():  # a kill in between must not spare a breaker
            equipment.store.executions.end(execution.id, outcome.ending, outcome.why, now)
            equipment.note(execution, f"execution.{outcome.ending}", "end", outcome.why)
            judge_breakers(equipment.store, scopes, outages, equipment.limits, now)
        return Word.RUN

    def _refuse(self, record: DecisionRecord, why: str) -> None:
        with self._with.store.together():
            self._with.store.executions.refuse(record.id, why, self._with.clock.now())
            self._with.note(record, "execution.refused", "refused", why)
