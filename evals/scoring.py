"""How good one report is against the truth. Pure: the same report, truth and files give the same score.

Abstaining is an answer, and a wrong answer is not the same as none: the measures are kept apart and never summed.
A measure is None where the truth has nothing to compare (no culprit, no first fault).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from firstfault.agent.report.contract import FirstFaultPart, Report
from firstfault.evals.harm import Check, Finding, harm_findings
from firstfault.evals.quotes import Lines, Misquote, misquotes
from firstfault.evals.truth import Culprit, Line, Truth, Wanted

Measure = Literal["right", "failure_class", "layer", "owner", "culprit", "first_fault", "action"]
MEASURES: tuple[Measure, ...] = (
    "right",
    "failure_class",
    "layer",
    "owner",
    "culprit",
    "first_fault",
    "action",
)
"""The measures that are shares of cases, in the order they are printed."""

FIRST_ACTIONS = 2
"""How many recommendations an on-call reads before acting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a report (or a baseline) says, reduced to what is compared. None = it does not speak of it."""

    failure_class: str | None = None
    layer: str | None = None
    owner: str | None = None
    verdict: str = "LIKELY"
    culprit: str | None = None
    first_fault: tuple[str, int] | None = None
    actions: tuple[str, ...] = ()


NO_ANSWER = Answer(verdict="MISSING")
"""What a missing report says: wrong everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one case was answered.

    marks: per measure, True or False, None where the truth has nothing to compare.
    false_confirmed: CONFIRMED with a wrong class. confirmable: the truth is certain and asks to name the cause.
    quotes: excerpts in the report, misquotes: those not found where it says.
    """

    case: str
    truth: Truth
    answer: Answer
    marks: dict[Measure, bool | None]
    false_confirmed: bool
    confirmable: bool
    confirmed: bool
    harm: tuple[Finding, ...] = ()
    quotes: int = 0
    misquotes: tuple[Misquote, ...] = ()
    missing: str | None = None
    seconds: float = 0.0

    @property
    def harmful(self) -> tuple[Finding, ...]:
        """Return the recommendations that would have done harm."""
        return tuple(finding for finding in self.harm if finding.check is Check.HARMFUL)


def score_report(case: str, report: Report, truth: Truth, lines: Lines, *, seconds: float = 0.0) -> Score:
    """Return the score of one report. lines: the raw files of the case, to look the excerpts up."""
    return replace(
        score_answer(case, answer_of(report), truth),
        harm=harm_findings(report.recommendations, truth.actions.must_not, truth.culprit),
        quotes=len(report.evidence),
        misquotes=misquotes(report.evidence, lines),
        seconds=seconds,
    )


def score_missing(case: str, truth: Truth, why: str, *, seconds: float = 0.0) -> Score:
    """Return the score of a case without a report: wrong everywhere."""
    return replace(score_answer(case, NO_ANSWER, truth), missing=why, seconds=seconds)


def score_answer(case: str, answer: Answer, truth: Truth) -> Score:
    """Return the score of a bare answer, as baselines give."""
    is_confirmed = answer.verdict == "CONFIRMED"
    return Score(
        case=case,
        truth=truth,
        answer=answer,
        marks=_marks(answer, truth),
        false_confirmed=is_confirmed and not _class_holds(answer, truth),
        confirmable=truth.is_certain and truth.verdict is Wanted.NAME_CAUSE,
        confirmed=is_confirmed,
    )


def answer_of(report: Report) -> Answer:
    """Return what a report says, reduced to what is compared."""
    diagnosis = report.diagnosis
    return Answer(
        failure_class=diagnosis.failure_class,
        layer=diagnosis.layer,
        owner=diagnosis.owner,
        verdict=report.verdict,
        culprit=diagnosis.culprit.name if diagnosis.culprit else None,
        first_fault=_place(report.first_fault),
        actions=tuple(part.action for part in report.recommendations),
    )


def is_right(answer: Answer, truth: Truth) -> bool:
    """Return whether the conclusion counts as right for the kind of answer that was wanted."""
    accepted = answer.failure_class in truth.accepted
    is_confirmed = answer.verdict == "CONFIRMED"
    if truth.is_no_fault:
        says_none = (answer.failure_class or "").startswith("none.")
        return accepted or says_none or answer.verdict == "NO_FAULT"
    if truth.verdict is Wanted.ABSTAIN:
        abstains = answer.failure_class == "unknown" or answer.verdict == "INCONCLUSIVE"
        return not is_confirmed and (abstains or accepted)
    if truth.verdict is Wanted.NARROW_TO:
        return accepted or (answer.layer == truth.layer and not is_confirmed)
    return accepted


def _marks(answer: Answer, truth: Truth) -> dict[Measure, bool | None]:
    return {
        "right": is_right(answer, truth),
        "failure_class": answer.failure_class == truth.failure_class,
        "layer": answer.layer == truth.layer,
        "owner": None if truth.owner is None else answer.owner == truth.owner,
        "culprit": _culprit_matches(answer.culprit, truth.culprit),
        "first_fault": _place_matches(answer.first_fault, truth.first_fault),
        "action": _action_matches(answer.actions, truth.actions.expected),
    }


def _class_holds(answer: Answer, truth: Truth) -> bool:
    """Return whether a CONFIRMED class is not wrong; where abstaining was wanted, confirming anything is."""
    if truth.verdict is Wanted.ABSTAIN:
        return False
    no_fault_both = truth.is_no_fault and (answer.failure_class or "").startswith("none.")
    return no_fault_both or answer.failure_class in truth.accepted


def _culprit_matches(named: str | None, truth: Culprit | None) -> bool | None:
    if truth is None:
        return None
    return named is not None and bool(named) and (named in truth.name or truth.name in named)


def _place_matches(place: tuple[str, int] | None, truth: Line | None) -> bool | None:
    return None if truth is None else place == (truth.path, truth.line)


def _action_matches(actions: Sequence[str], expected: Sequence[str]) -> bool | None:
    return bool(set(actions[:FIRST_ACTIONS]) & set(expected)) if expected else None


def _place(part: FirstFaultPart | None) -> tuple[str, int] | None:
    return None if part is None else (part.path, part.line)
