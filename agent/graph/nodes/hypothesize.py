"""Every failure class tested, the best one named, the timeline given its roles."""

from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.correlate.common_cause import as_signals
from firstfault.agent.graph import codec
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.thinker import coverage_of
from firstfault.agent.graph.workshop import Workshop
from firstfault.agent.hypotheses.conclusions import Conclusion, conclude
from firstfault.agent.hypotheses.timeline import build_timeline


def hypothesize(workshop: Workshop, state: State) -> Change:
    """Test all class definitions and keep the ledger."""
    echoes = workshop.load(state, "correlate", codec.Correlated).echoes
    conclusion, known = concluded(workshop, state)
    timeline = build_timeline(known.signals, echoes, conclusion.best)
    diagnosis = conclusion.diagnosis
    result = codec.Concluded(diagnosis=diagnosis, hypotheses=conclusion.hypotheses, timeline=timeline)
    return workshop.finish(
        state,
        "hypothesize",
        result,
        why=f"{diagnosis.verdict.value} {diagnosis.failure_class}: {diagnosis.because}",
        payload={
            "verdict": diagnosis.verdict.value,
            "failure_class": diagnosis.failure_class,
            "ledger": [f"{h.failure_class} {h.standing.value}" for h in conclusion.hypotheses],
        },
    )


def concluded(workshop: Workshop, state: State) -> tuple[Conclusion, SignalSet]:
    """Return the conclusion of this run, computed from stored stages (pure, so it is always the same)."""
    signals = workshop.load(state, "extract", codec.Seen).signals
    correlated = workshop.load(state, "correlate", codec.Correlated)
    coverage = coverage_of(workshop, state)
    known = SignalSet(
        signals=(*signals, *as_signals(correlated.common_causes)),
        echoes={echo.index: echo.because for echo in correlated.echoes},
    )
    return conclude(workshop.classes, known, correlated.echoes, coverage, workshop.incident.question), known
