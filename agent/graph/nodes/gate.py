"""Every recommendation put before the deterministic gate."""

from firstfault.agent.findings import Hypothesis
from firstfault.agent.graph import codec
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import GateRequest, Workshop


def gate(workshop: Workshop, state: State) -> Change:
    """Ask the gate and keep its word, one audit event for each decision."""
    found = workshop.load(state, "hypothesize", codec.Concluded)
    recommended = workshop.load(state, "recommend", codec.Recommended).recommendations
    request = GateRequest(
        incident=workshop.incident,
        diagnosis=found.diagnosis,
        best=_best(found),
        recommendations=recommended,
        common_causes=workshop.load(state, "correlate", codec.Correlated).common_causes,
        reading=workshop.reading(workshop.documents(state)),
        signals=workshop.load(state, "extract", codec.Seen).signals,
        now=workshop.now,
    )
    decisions = workshop.gate(request)
    for index, (item, decision) in enumerate(zip(recommended, decisions, strict=True)):
        workshop.note(
            "policy.decided",
            f"{index} {item.action.value} {item.target.key}",
            why="; ".join(decision.reasons),
            payload=decision.model_dump(),
        )
    words = [
        f"{item.action.value} {decision.decision}"
        for item, decision in zip(recommended, decisions, strict=True)
    ]
    return workshop.finish(
        state,
        "gate",
        codec.Gated(decisions=decisions),
        why="; ".join(words),
        payload={"decisions": words},
    )


def _best(found: codec.Concluded) -> Hypothesis | None:
    return next(
        (h for h in found.hypotheses if h.failure_class == found.diagnosis.failure_class),
        None,
    )
