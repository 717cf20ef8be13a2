"""An explanation as JSON-safe values (schema `firstfault.explanation/v1`)."""

from firstfault.agent.explain.explanation import Explanation
from firstfault.agent.explain.probes import Weighed
from firstfault.agent.explain.words import Shown
from firstfault.agent.hypotheses.proofs import proving
from firstfault.agent.hypotheses.trials import because
from firstfault.tools.signals import Signal

SCHEMA = "firstfault.explanation/v1"


def document_of(explanation: Explanation, shown: Shown) -> dict[str, object]:
    """Return the explanation as plain values. shown: gives the excerpt of a piece of evidence, redacted."""
    diagnosis, place = explanation.conclusion.diagnosis, explanation.place
    return {
        "schema": SCHEMA,
        "failure_class": explanation.definition.failure_class,
        "is_diagnosis": explanation.is_diagnosis,
        "answer": explanation.answer,
        "diagnosis": {"failure_class": diagnosis.failure_class, "verdict": diagnosis.verdict.value},
        "criteria": [_weighed(each, shown) for each in explanation.criteria],
        "contradictions": [_weighed(each, shown) for each in explanation.contradictions],
        "absences": [{"id": each.id, "state": state} for each, state in explanation.absences],
        "echoes": [_signal(s, shown) | {"because": echo.because} for s, echo in explanation.echoed],
        "needs": [need.model_dump(mode="json") for need in explanation.needs],
        "rank": None if place is None else place.number,
        "ranked": None if place is None else place.total,
        "rank_key": [] if place is None else list(place.ranked.shown),
        "witnesses": explanation.witnesses,
        "proof": None if place is None or (proof := proving(place.ranked.trial)) is None else proof.because,
        "open_rivals": list(explanation.rivals),
    }


def _weighed(each: Weighed, shown: Shown) -> dict[str, object]:
    criterion, found = each.criterion, each.signals
    return {
        "id": criterion.id,
        "strength": criterion.strength.value,
        "holds": found is not None,
        "because": each.why_not if found is None else because(criterion, found),
        "signals": [_signal(signal, shown) for signal in found or ()],
        "not_counted": [_signal(signal, shown) | {"because": reason} for signal, reason in each.near],
    }


def _signal(signal: Signal, shown: Shown) -> dict[str, object]:
    evidence = signal.evidence
    return {
        "signal": signal.name,
        "entity": {"kind": signal.entity.kind.value, "name": signal.entity.name},
        "at": None if signal.stamp.at is None else signal.stamp.at.isoformat(),
        "path": evidence.path,
        "line": evidence.line_start,
        "excerpt": shown(evidence),
        "count": signal.count,
    }
