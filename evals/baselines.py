"""What trivial rules would score on the same cases: the bar that a diagnosis has to clear.

The two "most common" rules look at the truths of the very set they are scored on, which flatters them.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from firstfault.evals.cases import Case
from firstfault.evals.scoring import FIRST_ACTIONS, Answer, Measure, Score, score_answer
from firstfault.evals.truth import Truth

_XID = re.compile(r"NVRM:\s+Xid \([^)]*\)[^:]*: (?P<xid>\d{1,3})\b")

LINE_OF_FIRST_FILE = 3
"""The line that the positional rule names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """One trivial rule with its score on every case; only `measures` mean something."""

    name: str
    measures: tuple[Measure, ...]
    scores: tuple[Score, ...]


def baselines(cases: Sequence[Case], truths: Mapping[str, Truth]) -> tuple[Baseline, ...]:
    """Return the five rules named in the scoring rules, scored on all cases."""
    common_class = _most_common(truth.failure_class for truth in truths.values())[:1]
    common_actions = _most_common(action for truth in truths.values() for action in truth.actions.expected)

    def always(answer: Answer) -> Callable[[Case], Answer]:
        return lambda _case: answer

    rules: tuple[tuple[str, tuple[Measure, ...], Callable[[Case], Answer]], ...] = (
        ("first Xid decides", ("right", "failure_class", "layer", "first_fault"), _first_xid),
        ("most common class", ("right", "failure_class", "layer"), always(_of_class(common_class[0]))),
        ("always platform", ("owner",), always(Answer(owner="platform"))),
        ("third line of the first file", ("first_fault",), _third_line),
        ("two most common actions", ("action",), always(Answer(actions=common_actions[:FIRST_ACTIONS]))),
    )
    return tuple(
        Baseline(
            name=name,
            measures=measures,
            scores=tuple(score_answer(case.id, rule(case), truths[case.id]) for case in cases),
        )
        for name, measures, rule in rules
    )


def _most_common(values: Iterable[str]) -> tuple[str, ...]:
    counted = Counter(values)
    return tuple(sorted(counted, key=lambda value: (-counted[value], value)))


def _of_class(failure_class: str) -> Answer:
    return Answer(failure_class=failure_class, layer=failure_class.partition(".")[0])


def _first_xid(case: Case) -> Answer:
    classes = _xid_classes()
    for path in case.raw_files:
        for number, line in enumerate(case.lines(path) or (), start=1):
            matched = _XID.search(line)
            if matched:
                answer = _of_class(classes.get(int(matched["xid"]), "unknown"))
                return Answer(
                    failure_class=answer.failure_class, layer=answer.layer, first_fault=(path, number)
                )
    return Answer(failure_class="unknown", layer="unknown", verdict="INCONCLUSIVE")


def _xid_classes() -> Mapping[int, str]:
    """Return which class a code stands for when nothing else is looked at. Source: the taxonomy's class texts."""
    table = files("firstfault.evals").joinpath("baseline_xids.csv").read_text(encoding="utf-8")
    return {int(row["xid"]): row["failure_class"] for row in csv.DictReader(table.splitlines())}


def _third_line(case: Case) -> Answer:
    return Answer(first_fault=(case.raw_files[0], LINE_OF_FIRST_FILE)) if case.raw_files else Answer()
