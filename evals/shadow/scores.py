"""How one investigation in shadow compares with what really happened.

Every part is None where the truth is not known; None is never counted as a hit or as a miss.
"""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import AwareDatetime

from firstfault.agent.report.contract import RecommendationPart, Report
from firstfault.evals.harm import Check, denied_with_substance, harm_findings
from firstfault.evals.quotes import Lines, misquotes
from firstfault.evals.scoring import answer_of as answer_of_report
from firstfault.evals.scoring import score_answer
from firstfault.evals.shadow.history import HistoryRecord, PastIncident
from firstfault.evals.shadow.pairing import Comparison, Meeting, Pair, compare
from firstfault.evals.truth import Truth, Wanted
from firstfault.policies.actions import EXECUTABLE


class Diagnosed(StrEnum):
    """How the diagnosis compares with the truth. Abstaining is not a miss, and not a hit where a cause is known."""

    HIT = "hit"
    LAYER_ONLY = "layer_only"
    ABSTAINED = "abstained"
    MISS = "miss"
    UNKNOWN = "unknown"


class CellScore(HistoryRecord):
    """One executable recommendation: a use of the cell (failure class × action).

    let_through: the gate had no objection of substance. success: right class, people agreed, no harm; None: unknown.
    shared_cause: several machines had a cause in common that time.
    """

    failure_class: str
    action: str
    target: str
    let_through: bool
    meeting: Meeting
    success: bool | None
    harm: tuple[str, ...] = ()
    shared_cause: bool = False


class ShadowScore(HistoryRecord):
    """One incident, looked at `offset_s` after its alert, compared with what really happened.

    version: of the agent that made the report. at_fault: the thing that the report names. is_false_fault: a fault was
    reported where there was none. lead_s: human action time less recommendation time.
    """

    incident: str
    offset_s: int
    version: str
    alert_at: AwareDatetime | None
    cluster: str | None
    week: str | None
    failure_class: str
    at_fault: str | None
    verdict: str
    diagnosed: Diagnosed
    right: bool | None
    false_confirmed: bool
    owner: bool | None
    culprit: bool | None
    first_fault: bool | None
    action: bool | None
    undone: bool
    harm: tuple[str, ...]
    is_false_fault: bool | None
    lead_s: float | None
    cells: tuple[CellScore, ...]
    quotes: int
    misquotes: int
    seconds: float
    cost_usd: float | None
    missing: str | None = None


def score_shadow(  # noqa: PLR0913 - what is compared, each by its name
    incident: PastIncident,
    report: Report,
    lines: Lines,
    *,
    offset_s: int,
    version: str,
    made_at: AwareDatetime | None,
    seconds: float,
) -> ShadowScore:
    """Return the comparison. lines: raw lines to look the excerpts up; made_at: when the report was there."""
    truth = incident.truth
    marks = score_answer(incident.id, answer_of_report(report), truth) if truth else None
    comparison = compare(report.recommendations, incident.actions, incident.alert_at, made_at)
    cells = tuple(_cells(report, truth, comparison))
    cost = report.model.cost_usd if report.model else 0.0
    return ShadowScore(
        incident=incident.id,
        offset_s=offset_s,
        version=version,
        alert_at=incident.alert_at,
        cluster=incident.cluster,
        week=incident.week,
        failure_class=report.diagnosis.failure_class,
        at_fault=report.diagnosis.culprit.name if report.diagnosis.culprit else None,
        verdict=report.verdict,
        diagnosed=diagnosed(report, truth),
        right=marks.marks["right"] if marks else None,
        false_confirmed=marks.false_confirmed if marks else False,
        owner=marks.marks["owner"] if marks else None,
        culprit=marks.marks["culprit"] if marks else None,
        first_fault=marks.marks["first_fault"] if marks else None,
        action=comparison.agreed
        if incident.actions is not None
        else (marks.marks["action"] if marks else None),
        undone=any(pair.undone for pair in comparison.pairs),
        harm=tuple(reason for cell in cells for reason in cell.harm),
        is_false_fault=_is_false_fault(report, truth),
        lead_s=comparison.lead_s,
        cells=cells,
        quotes=len(report.evidence),
        misquotes=len(misquotes(report.evidence, lines)),
        seconds=round(seconds, 3),
        cost_usd=cost,
    )


def score_missing(
    incident: PastIncident, why: str, *, offset_s: int, version: str, seconds: float
) -> ShadowScore:
    """Return the score of an incident that gave no report: a miss where the cause is known."""
    truth = incident.truth
    return ShadowScore(
        incident=incident.id,
        offset_s=offset_s,
        version=version,
        alert_at=incident.alert_at,
        cluster=incident.cluster,
        week=incident.week,
        failure_class="unknown",
        at_fault=None,
        verdict="MISSING",
        diagnosed=Diagnosed.MISS if truth else Diagnosed.UNKNOWN,
        right=False if truth else None,
        false_confirmed=False,
        owner=False if truth and truth.owner else None,
        culprit=False if truth and truth.culprit else None,
        first_fault=False if truth and truth.first_fault else None,
        action=None,
        undone=False,
        harm=(),
        is_false_fault=None,
        lead_s=None,
        cells=(),
        quotes=0,
        misquotes=0,
        seconds=round(seconds, 3),
        cost_usd=None,
        missing=why,
    )


def diagnosed(report: Report, truth: Truth | None) -> Diagnosed:
    """Return how the class compares with the truth."""
    if truth is None:
        return Diagnosed.UNKNOWN
    said = report.diagnosis.failure_class
    if said in truth.accepted or (truth.is_no_fault and report.verdict == "NO_FAULT"):
        return Diagnosed.HIT
    if said == "unknown" or report.verdict == "INCONCLUSIVE":
        return Diagnosed.HIT if truth.verdict is Wanted.ABSTAIN else Diagnosed.ABSTAINED
    return Diagnosed.LAYER_ONLY if report.diagnosis.layer == truth.layer else Diagnosed.MISS


def _is_false_fault(report: Report, truth: Truth | None) -> bool | None:
    if truth is None or not truth.is_no_fault:
        return None
    return report.verdict in {"CONFIRMED", "LIKELY"} and not report.diagnosis.failure_class.startswith(
        "none."
    )


def _cells(report: Report, truth: Truth | None, comparison: Comparison) -> Sequence[CellScore]:
    wanted = [part for part in report.recommendations if part.action in EXECUTABLE]
    return [_cell(report, part, truth, pair) for part, pair in zip(wanted, comparison.pairs, strict=True)]


def _cell(report: Report, part: RecommendationPart, truth: Truth | None, pair: Pair) -> CellScore:
    let_through = not denied_with_substance(part)
    harm = tuple(_harm(report, part, truth, pair)) if let_through else ()
    return CellScore(
        failure_class=report.diagnosis.failure_class,
        action=part.action,
        target=part.target.name,
        let_through=let_through,
        meeting=pair.meeting,
        success=_success(report, part, truth, pair, harm),
        harm=harm,
        shared_cause=bool(report.common_causes),
    )


def _harm(report: Report, part: RecommendationPart, truth: Truth | None, pair: Pair) -> Sequence[str]:
    """Return why the action would have been wrong or unsafe; nothing where nobody can say."""
    reasons: list[str] = []
    what = f"{part.action} on {part.target.name}"
    if truth is not None:
        found = harm_findings(report.recommendations, truth.actions.must_not, truth.culprit)
        reasons += [
            f"{what}: must not ({finding.rule})"
            for finding in found
            if finding.check is Check.HARMFUL
            and (finding.action, finding.target) == (part.action, part.target.name)
        ]
        if truth.is_no_fault and part.action not in truth.actions.expected:
            reasons.append(f"{what}: nothing was wrong")
    if pair.undone:
        reasons.append(f"{what}: people did it and took it back")
    return reasons


def _success(
    report: Report, part: RecommendationPart, truth: Truth | None, pair: Pair, harm: Sequence[str]
) -> bool | None:
    """Return whether this use of the cell counts for it, None when cause or human action is not known."""
    if harm:
        return False
    if truth is None:
        return None
    if report.diagnosis.failure_class not in truth.accepted:
        return False
    if pair.meeting is not Meeting.UNKNOWN:
        return pair.meeting is Meeting.AGREED
    if truth.actions.expected or truth.actions.acceptable:
        return part.action in {*truth.actions.expected, *truth.actions.acceptable}
    return None
