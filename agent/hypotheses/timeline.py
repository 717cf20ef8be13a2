"""The signals in order, each with its role in the diagnosis and the reason for the role. Pure."""

from collections.abc import Mapping, Sequence

from firstfault.agent.correlate.chronology import arrange
from firstfault.agent.correlate.echoes import Echo
from firstfault.agent.findings import Role, TimelineEntry
from firstfault.agent.hypotheses.ranking import Ranked
from firstfault.agent.hypotheses.trials import Trial, because
from firstfault.tools.signals import Signal


def build_timeline(
    signals: Sequence[Signal], echoes: Sequence[Echo], best: Ranked | None
) -> tuple[TimelineEntry, ...]:
    """Return one entry per signal, in display order (`chronology.arrange`)."""
    explained = {id(signals[echo.index]): echo.because for echo in echoes}
    spoken = _reasons(best.trial) if best is not None else {}
    return tuple(_entry(signal, explained, spoken, best) for signal in arrange(signals))


def _reasons(trial: Trial) -> dict[int, str]:
    reasons: dict[int, str] = {}
    for hit in trial.hits:
        for signal in hit.signals:
            reasons.setdefault(id(signal), because(hit.criterion, hit.signals))
    return reasons


def _entry(
    signal: Signal,
    explained: Mapping[int, str],
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
        return TimelineEntry(signal=signal, role=Role.ECHO, because=explained[id(signal)])
    if best is None:
        return TimelineEntry(signal=signal, role=Role.CONTEXT, because="no class is supported")
    if id(signal) in spoken:
        role = Role.SYMPTOM if best.trial.explains(signal) else Role.CAUSE
        return TimelineEntry(signal=signal, role=role, because=spoken[id(signal)])
    if best.trial.explains(signal):
        return TimelineEntry(signal=signal, role=Role.SYMPTOM, because=f"follows from {best.trial.name}")
    return TimelineEntry(signal=signal, role=Role.CONTEXT, because="seen, not needed for the diagnosis")
