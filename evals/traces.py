"""Which rules one recording sets off: signals, class criteria, echo rules. The pure stages run, no store is needed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from firstfault.agent.classes.definitions import ClassDefinition, Predicate, load_classes
from firstfault.agent.classes.matching import SignalSet, holds
from firstfault.agent.correlate.collectives import collective_signals
from firstfault.agent.correlate.echoes import EchoRule, find_echoes, load_echo_rules
from firstfault.tools.catalogs.fact_rules import fact_rules
from firstfault.tools.catalogs.metric_rules import metric_rules
from firstfault.tools.catalogs.patterns import all_patterns
from firstfault.tools.extract import extract
from firstfault.tools.readers import read
from firstfault.tools.readings import Reading
from firstfault.tools.recording import Recording, open_recording
from firstfault.tools.signals import Signal


class RuleKind(StrEnum):
    """What kind of rule was set off."""

    SIGNAL = "signal"
    CRITERION = "criterion"
    CONTRADICTION = "contradiction"
    MECHANISM = "mechanism"
    ECHO = "echo"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Rule:
    """One rule by kind and id: `criterion gpu.fell_off_bus/xid-79`. A `*` in a signal's id stands for a value."""

    kind: RuleKind
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """The rules that a recording is traced against."""

    classes: Sequence[ClassDefinition]
    echoes: Sequence[EchoRule]

    def all_rules(self) -> frozenset[Rule]:
        """Return every rule there is: criteria, contradictions, named mechanisms, echo rules, table rows."""
        named = (Rule(kind=kind, id=name) for kind, name, _ in self._predicates())
        echoes = (Rule(kind=RuleKind.ECHO, id=rule.id) for rule in self.echoes)
        return frozenset({*named, *echoes, *_table_rows()})

    def trace(self, signals: Sequence[Signal]) -> frozenset[Rule]:
        """Return the rules that these signals set off. A signal that no table row gives counts under its own name."""
        echoes = find_echoes(signals, self.echoes)
        known = SignalSet(signals=tuple(signals), echoes={echo.index: echo.because for echo in echoes})
        matched = (
            Rule(kind=kind, id=name)
            for kind, name, predicate in self._predicates()
            if holds(predicate, known) and (kind is not RuleKind.MECHANISM or predicate.any or predicate.all)
        )
        seen = (Rule(kind=RuleKind.SIGNAL, id=signal_row(signal.name)) for signal in signals)
        return frozenset({*matched, *seen, *(Rule(kind=RuleKind.ECHO, id=echo.rule) for echo in echoes)})

    def _predicates(self) -> Iterable[tuple[RuleKind, str, Predicate]]:
        for definition in self.classes:
            name = definition.failure_class
            for criterion in definition.looks_for:
                yield RuleKind.CRITERION, f"{name}/{criterion.id}", criterion
            for criterion in definition.contradicted_by:
                yield RuleKind.CONTRADICTION, f"{name}/{criterion.id}", criterion
            for mechanism in definition.mechanisms:
                if mechanism.any or mechanism.all:
                    yield RuleKind.MECHANISM, f"{name}/{mechanism.name}", mechanism


def shipped_rules() -> RuleSet:
    """Return the rules that the package ships."""
    return RuleSet(classes=load_classes(), echoes=load_echo_rules())


def trace_path(path: Path, rules: RuleSet) -> frozenset[Rule]:
    """Return the rules that a recording (a case folder, any folder, a file) sets off.

    Raises:
        RecordingError: nothing in it can be read.

    """
    return rules.trace(signals_of(open_recording(path)))


def signals_of(recording: Recording) -> tuple[Signal, ...]:
    """Return every signal in a recording, what the ranks of a job say together included."""
    whole = Reading()
    for document in recording.documents:
        whole = whole + read(document, recording.context)
    found = tuple(extract(recording.documents, whole, recording.context))
    return (*found, *collective_signals(found, whole.facts))


@lru_cache(maxsize=65536)
def signal_row(name: str) -> str:
    """Return the table row that gives a signal of this name (`dcgm.health.*`), or the name when no row does."""
    rows = _signal_rows()
    if name in rows:
        return name
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        row = ".".join((*parts[:cut], *["*"] * (len(parts) - cut)))
        if row in rows:
            return row
    return name


def _table_rows() -> Iterable[Rule]:
    return (Rule(kind=RuleKind.SIGNAL, id=row) for row in _signal_rows())


@lru_cache(maxsize=1)
def _signal_rows() -> frozenset[str]:
    templates = {
        *(pattern.signal for pattern in all_patterns()),
        *(rule.signal for rule in metric_rules()),
        *(rule.signal for rule in fact_rules()),
    }
    return frozenset(
        ".".join("*" if "{" in part else part for part in template.split(".")) for template in templates
    )
