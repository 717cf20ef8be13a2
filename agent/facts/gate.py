"""Puts recommendations before the gate: a recommendation becomes a proposal, the incident's objects become facts. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from firstfault.agent.facts.recording import CauseFinding, Surroundings, facts_from_snapshot
from firstfault.agent.facts.settings import FactSettings, Switches
from firstfault.agent.facts.snapshot import Snapshot, snapshot_of
from firstfault.agent.facts.targets import target_of
from firstfault.agent.findings import (
    CommonCause,
    Diagnosis,
    Hypothesis,
    Incident,
    Recommendation,
)
from firstfault.agent.report.contract import PolicyPart
from firstfault.agent.store.decisions import DecisionRecord, Origin, decision_record
from firstfault.policies import (
    Certainty,
    Facts,
    History,
    Limits,
    ModeTable,
    Policies,
    PolicyDecision,
    Proposal,
    decide,
)
from firstfault.policies.engine import inputs_of
from firstfault.tools.entities import EntityKind
from firstfault.tools.readings import Reading
from firstfault.tools.signals import Signal

PROPOSAL_LIFETIME = timedelta(hours=1)
"""How long a recommendation may be acted on; afterwards the incident is looked at anew (DESIGN §7, expiry)."""
SHADOW_POLICY = "mode.shadow"
LEDGER_POLICY = "mode.ledger_broken"
"""Stands beside `mode.shadow` when the modes themselves could not be read."""


class Asked(Protocol):
    """What is known of an incident when its recommendations are put before the gate."""

    @property
    def incident(self) -> Incident:
        """Return the incident."""
        ...

    @property
    def diagnosis(self) -> Diagnosis:
        """Return what was concluded."""
        ...

    @property
    def best(self) -> Hypothesis | None:
        """Return the hypothesis that the diagnosis rests on."""
        ...

    @property
    def recommendations(self) -> tuple[Recommendation, ...]:
        """Return what was recommended, in order."""
        ...

    @property
    def common_causes(self) -> tuple[CommonCause, ...]:
        """Return what affected machines share."""
        ...

    @property
    def reading(self) -> Reading:
        """Return the structure found in all documents."""
        ...

    @property
    def now(self) -> datetime:
        """Return the moment of the investigation."""
        ...

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Return all signals."""
        ...


@dataclass(frozen=True, kw_only=True)
class Gatekeeper:
    """Decides on recommendations from recordings. switches: asked anew for every incident.

    keep: where decisions are kept with their inputs, for `firstfault policy explain` and `policy diff`.
    mode_trouble: why the promotion ledger could not be trusted; `modes` is empty then, and the decisions say so.
    """

    policies: Policies
    limits: Limits
    modes: ModeTable = field(default_factory=ModeTable)
    mode_trouble: str | None = None
    history: History | None = None
    switches: Callable[[], Switches] = Switches
    settings: FactSettings = field(default_factory=FactSettings)
    keep: Callable[[DecisionRecord], object] | None = None

    def __call__(self, request: Asked) -> tuple[PolicyPart, ...]:
        """Return one decision for each recommendation, in order."""
        return tuple(self._told(policy_part(decision)) for decision in self.decide_all(request))

    def decide_all(self, request: Asked) -> tuple[PolicyDecision, ...]:
        """Return the decisions with their digests, in the order of the recommendations."""
        as_of = end_of_recording(request.incident, request.signals)
        snapshot = snapshot_of(request.reading.objects, as_of)
        history = None if self.history is None else self.history.until(as_of)
        decisions: list[PolicyDecision] = []
        for item in request.recommendations:
            facts = self._facts(item, request, as_of, snapshot)
            decisions.append(
                self._decided(request, self.proposal(item, request, as_of, snapshot), facts, history)
            )
        return tuple(decisions)

    def _decided(
        self, request: Asked, proposal: Proposal, facts: Facts, history: History | None
    ) -> PolicyDecision:
        decision = decide(proposal, facts, history, self.limits, self.policies)
        if self.keep is not None:
            inputs = inputs_of(proposal, facts, history, self.limits, self.policies)
            self.keep(
                decision_record(
                    inputs,
                    decision,
                    correlation_id=request.incident.correlation_id,
                    made_at=request.now,
                    origin=Origin.RECORDING,
                )
            )
        return decision

    def _told(self, part: PolicyPart) -> PolicyPart:
        if self.mode_trouble is None or SHADOW_POLICY not in part.determining:
            return part
        reason = f"every cell is in shadow, the promotion ledger cannot be trusted: {self.mode_trouble}"
        told = {"determining": [*part.determining, LEDGER_POLICY], "reasons": [*part.reasons, reason]}
        return part.model_copy(update=told)

    def proposal(
        self,
        item: Recommendation,
        request: Asked,
        as_of: datetime | None,
        snapshot: Snapshot,
    ) -> Proposal:
        """Return the recommendation in the gate's own words."""
        evidence = (*item.evidence, *request.diagnosis.evidence)
        families = request.best.families if request.best else ()
        return Proposal(
            action=item.action,
            target=target_of(item.target, snapshot),
            failure_class=request.diagnosis.failure_class,
            certainty=Certainty(request.diagnosis.verdict.value),
            evidence=frozenset(each.id for each in evidence),
            families=frozenset(families),
            known_signature=request.best is not None and request.best.decisive,
            incident_id=request.incident.id,
            proposed_at=as_of,
            expires_at=None if as_of is None else as_of + PROPOSAL_LIFETIME,
            parameters=item.parameters,
        )

    def causes_of(self, item: Recommendation, request: Asked) -> tuple[CommonCause, ...]:
        """Return the shared causes that the target is part of; one that names no members concerns everybody."""
        target = item.target
        node = target.name if target.kind is EntityKind.NODE else target.node
        causes = request.common_causes
        return tuple(cause for cause in causes if not cause.members or node is None or node in cause.members)

    def _facts(
        self, item: Recommendation, request: Asked, as_of: datetime | None, snapshot: Snapshot
    ) -> Facts:
        around = Surroundings(
            as_of=as_of,
            mode=self.modes.mode_of(request.diagnosis.failure_class, item.action),
            cause=CauseFinding(
                causes=self.causes_of(item, request),
                tested=snapshot.all("node") is not None,
            ),
            switches=Switches(kill_switch=self.switches().kill_switch, observed_at=as_of),
            settings=self.settings,
        )
        return facts_from_snapshot(snapshot, target_of(item.target, snapshot), around)


def end_of_recording(incident: Incident, signals: Sequence[Signal]) -> datetime | None:
    """Return the moment a recording is judged at: as of, else its last wall time, else when it was opened."""
    if incident.as_of is not None:
        return incident.as_of
    stamps = [stamp.at for signal in signals for stamp in (signal.stamp, signal.last) if stamp and stamp.at]
    return max(stamps, default=incident.opened_at)


def policy_part(decision: PolicyDecision) -> PolicyPart:
    """Return the decision as the report carries it."""
    return PolicyPart(
        decision=decision.decision.name,
        would_be=decision.would_be.name,
        mode=decision.mode.value,
        determining=list(decision.determining),
        reasons=list(decision.reasons),
    )
