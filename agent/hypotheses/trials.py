"""Every class definition put to the test against the signals and the coverage at hand. Pure.

A trial collects what speaks for a class, against it, and what would be needed; it does not choose (`ranking` does).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firstfault.agent.classes.definitions import (
    ClassDefinition,
    Criterion,
    Mechanism,
    Need,
    Strength,
)
from firstfault.agent.classes.matching import SignalSet, holds, name_fits, unique
from firstfault.agent.correlate.echoes import Echo
from firstfault.agent.hypotheses.wording import fill
from firstfault.tools.evidence import Coverage, CoverageState
from firstfault.tools.kinds import Family
from firstfault.tools.signals import Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One criterion that holds, and the signals that make it hold, in order."""

    criterion: Criterion
    signals: tuple[Signal, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What became of one class.

    hits: what speaks for it, strongest first. against: contradictions, each a reason with its signals.
    echoed: echoes it would have rested on, had they not been explained away. needs: sources never read.
    """

    definition: ClassDefinition
    hits: tuple[Hit, ...] = ()
    against: tuple[tuple[str, tuple[Signal, ...]], ...] = ()
    echoed: tuple[tuple[Signal, Echo], ...] = ()
    needs: tuple[Need, ...] = ()
    mechanism: Mechanism | None = None

    @property
    def name(self) -> str:
        """Return the class name."""
        return self.definition.failure_class

    @property
    def strength(self) -> int:
        """Return the rank of the strongest criterion that holds, 0 without any."""
        return max((hit.criterion.strength.rank for hit in self.hits), default=0)

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Return every signal that speaks for it, strongest criterion first."""
        return unique(signal for hit in self.hits for signal in hit.signals)

    @property
    def machine_strength(self) -> int:
        """Return the rank of the strongest criterion that holds by machine output alone (no person's word)."""
        return max(
            (h.criterion.strength.rank for h in self.hits if any(not s.said_by_human for s in h.signals)),
            default=0,
        )

    @property
    def families(self) -> tuple[Family, ...]:
        """Return the families of evidence that speak for it, without people's notes, sorted."""
        return tuple(sorted({signal.family for signal in self.signals} - {Family.NOTE}))

    def explains(self, signal: Signal) -> bool:
        """Return whether the signal would follow if the class were true."""
        return name_fits(signal.name, self.definition.explains)


def try_class(
    definition: ClassDefinition,
    signals: SignalSet,
    echoes: Sequence[Echo],
    coverage: Sequence[Coverage],
) -> Trial:
    """Return the trial of one class."""
    hits = [Hit(criterion=c, signals=found) for c in definition.looks_for if (found := holds(c, signals))]
    hits.sort(key=lambda hit: -hit.criterion.strength.rank)
    mechanism = next((m for m in definition.mechanisms if holds(m, signals) is not None), None)
    return Trial(
        definition=definition,
        hits=tuple(hits),
        against=(
            *_contradictions(definition, signals),
            *_verified_absences(definition, signals, coverage),
        ),
        echoed=_echoed(definition, signals, echoes),
        needs=tuple(need for need in definition.needs if not _was_read(need.kind, coverage)),
        mechanism=mechanism,
    )


def _contradictions(
    definition: ClassDefinition, signals: SignalSet
) -> Iterable[tuple[str, tuple[Signal, ...]]]:
    for criterion in definition.contradicted_by:
        found = holds(criterion, signals)
        if found:
            yield because(criterion, found), found


def _verified_absences(
    definition: ClassDefinition, signals: SignalSet, coverage: Sequence[Coverage]
) -> Iterable[tuple[str, tuple[Signal, ...]]]:
    for absence in definition.absences:
        complete = [c for c in coverage if c.kind in absence.kind and c.state is CoverageState.COMPLETE]
        if complete and not signals.named(absence.expects):
            read = ", ".join(sorted({c.path or c.source for c in complete}))
            yield f"{absence.because} (verified absence: {read} read completely)", ()


def _echoed(
    definition: ClassDefinition, signals: SignalSet, echoes: Sequence[Echo]
) -> tuple[tuple[Signal, Echo], ...]:
    wanted = tuple(
        pattern
        for criterion in definition.looks_for
        if criterion.strength is not Strength.WEAK
        for matcher in (*criterion.any, *criterion.all)
        for pattern in matcher.signal
    )
    return tuple(
        (signals.signals[echo.index], echo)
        for echo in echoes
        if name_fits(signals.signals[echo.index].name, wanted)
    )


def _was_read(kind: object, coverage: Sequence[Coverage]) -> bool:
    return any(
        c.kind == kind and c.state in {CoverageState.COMPLETE, CoverageState.PARTIAL} for c in coverage
    )


def because(criterion: Criterion, signals: Sequence[Signal]) -> str:
    """Return the criterion's sentence with the first signal's entity and attributes filled in."""
    return fill(criterion.because, signals)
