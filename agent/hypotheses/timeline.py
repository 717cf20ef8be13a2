"""The signals in order, each with its role in the diagnosis and the reason for the role. Pure."""

from collections.abc import Mapping, Sequence

from firstfault.agent.classes.matching import seconds_between
from firstfault.agent.correlate.chronology import arrange
from firstfault.agent.correlate.echoes import Echo
from firstfault.agent.findings import Role, TimelineEntry
from firstfault.agent.hypotheses.ranking import Ranked
from firstfault.agent.hypotheses.trials import Trial, because
from firstfault.tools.catalogs.harmless import FINE, is_harmless
from firstfault.tools.extract.words import SPOKEN
from firstfault.tools.signals import Signal


def build_timeline(
    signals: Sequence[Signal], echoes: Sequence[Echo], best: Ranked | None
) -> tuple[TimelineEntry, ...]:
    """Return one entry per signal, in display order (`chronology.arrange`), without words that decided nothing."""
    explained = {id(signals[echo.index]): echo for echo in echoes}
    spoken = _reasons(best.trial) if best is not None else {}
    told = [signal for signal in signals if signal.name != SPOKEN or id(signal) in spoken]
    return tuple(_entry(signal, explained, spoken, best) for signal in arrange(told))


def _reasons(trial: Trial) -> dict[int, str]:
    reasons: dict[int, str] = {}
    for hit in trial.hits:
        for signal in hit.signals:
            reasons.setdefault(id(signal), because(hit.criterion, hit.signals))
    return reasons


def _entry(
    signal: Signal,
    explained: Mapping[int, Echo],
    spoken: Mapping[int, str],
    best: Ranked | None,
) -> TimelineEntry:
    if best is not None and signal is best.first:
        return TimelineEntry(
            signal=signal,
            role=Role.CAUSE,
            because=spoken.get(id(signal), "the first fault"),
        )
    if id(signal) in explained:
        echo = explained[id(signal)]
        role = Role.CONTEXT if echo.is_beside else Role.ECHO
        return TimelineEntry(signal=signal, role=role, because=echo.because)
    role, why = _place(signal, spoken, best)
    return TimelineEntry(signal=signal, role=role, because=why)


def _place(signal: Signal, spoken: Mapping[int, str], best: Ranked | None) -> tuple[Role, str]:
    """Return the role of what is neither the first fault nor an echo, and why."""
    if best is None:
        return Role.CONTEXT, "no class is supported"
    explained = best.trial.explains(signal)
    if id(signal) in spoken:
        return (Role.SYMPTOM if explained else Role.CAUSE), spoken[id(signal)]
    if not explained or is_harmless(signal.name, FINE):
        return Role.CONTEXT, "seen, not needed for the diagnosis"
    if _is_long_before(signal, best.first):
        return Role.CONTEXT, "long before the first fault"
    return Role.SYMPTOM, f"follows from {best.trial.name}"


LONG_BEFORE_S = 900.0
"""So long before the first fault nothing follows from it, however wrong the clocks of two machines are. A choice."""


def _is_long_before(signal: Signal, first: Signal | None) -> bool:
    gap_s = None if first is None else seconds_between(signal, first)
    return gap_s is not None and gap_s > LONG_BEFORE_S
