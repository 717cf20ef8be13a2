"""From trials to the hypotheses of the report: supported, ruled out, or never tested, each with its reasons. Pure."""

from collections.abc import Iterable, Sequence

from firstfault.agent.classes.definitions import Strength
from firstfault.agent.classes.matching import SignalSet, name_fits
from firstfault.agent.findings import Hypothesis, Standing
from firstfault.agent.hypotheses.culprits import culprit_of, owner_of
from firstfault.agent.hypotheses.ranking import Ranked
from firstfault.agent.hypotheses.trials import Trial, because
from firstfault.agent.hypotheses.verdicts import witnesses
from firstfault.tools.evidence import Evidence, Gap
from firstfault.tools.signals import Signal


def weighed(
    item: Ranked, best: Ranked | None, signals: SignalSet, change: Signal | None = None
) -> Hypothesis:
    """Return the hypothesis of a class that something speaks for, with its standing. change: blamed by the best one."""
    trial = item.trial
    reasons = [because(hit.criterion, hit.signals) for hit in trial.hits]
    standing, why = Standing.SUPPORTED, "; ".join(dict.fromkeys(reasons))
    contradicting = evidence_of(s for _, found in trial.against for s in found)
    if trial.against:
        standing, why = (
            Standing.RULED_OUT,
            "; ".join(dict.fromkeys(reason for reason, _ in trial.against)),
        )
    elif item.parent is not None and best is not None and item is not best:
        standing = Standing.RULED_OUT
        why = f"what speaks for it follows from {item.parent}: {why}"
        contradicting = evidence_of(best.trial.signals[:3]) if item.parent == best.trial.name else ()
    return Hypothesis(
        failure_class=trial.name,
        standing=standing,
        because=why,
        mechanism=trial.mechanism.name if trial.mechanism else None,
        owner=owner_of(trial, signals),
        culprit=culprit_of(trial, signals),
        first=item.first,
        supporting=evidence_of(trial.signals),
        contradicting=contradicting,
        missing=_gaps(trial),
        families=tuple(sorted(witnesses(item, signals, change if item is best else None))),
        decisive=trial.strength == Strength.DECISIVE.rank,
        rank_key=item.shown,
    )


def echo_only(trial: Trial) -> Hypothesis:
    """Return the hypothesis of a class that only echoes speak for."""
    reasons = dict.fromkeys(echo.because for _, echo in trial.echoed)
    return Hypothesis(
        failure_class=trial.name,
        standing=Standing.RULED_OUT,
        because="; ".join(reasons),
        contradicting=evidence_of(signal for signal, _ in trial.echoed),
        missing=_gaps(trial),
    )


def ruled_out(trial: Trial) -> Hypothesis:
    """Return the hypothesis of a class that nothing speaks for and something speaks against."""
    return Hypothesis(
        failure_class=trial.name,
        standing=Standing.RULED_OUT,
        because="; ".join(dict.fromkeys(reason for reason, _ in trial.against)),
        contradicting=evidence_of(s for _, found in trial.against for s in found),
        missing=_gaps(trial),
    )


def untested(trial: Trial) -> Hypothesis:
    """Return the hypothesis of a class that nothing was read about."""
    names = ", ".join(dict.fromkeys(str(need.kind) for need in trial.needs))
    return Hypothesis(
        failure_class=trial.name,
        standing=Standing.UNTESTED,
        because=f"not seen: {names}" if names else "nothing that was read speaks for it or against it",
        missing=_gaps(trial),
    )


def worth_asking(trials: Sequence[Trial], best: Ranked | None) -> list[Trial]:
    """Return the silent classes an on-call would ask about: rivals of the best one; without a best one, none."""
    if best is None:
        return []
    rivals = best.trial.definition.rivals
    return [t for t in trials if not t.hits and not t.echoed and not t.against and name_fits(t.name, rivals)]


def _gaps(trial: Trial) -> tuple[Gap, ...]:
    return tuple(
        Gap(
            source=str(need.kind),
            kind=need.kind,
            why="not among what was collected" + (f"; get it with `{need.command}`" if need.command else ""),
            would_tell=need.would_tell,
        )
        for need in trial.needs
    )


def evidence_of(signals: Iterable[Signal]) -> tuple[Evidence, ...]:
    """Return the evidence of the signals, each piece once."""
    return tuple({evidence.id: evidence for signal in signals for evidence in signal.all_evidence}.values())
