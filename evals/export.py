"""The scores of a run as one JSON document, for programs that compare runs."""

from dataclasses import asdict

from firstfault.evals.scoring import Score
from firstfault.evals.shares import Share
from firstfault.evals.summary import Summary, missed

SCHEMA = "firstfault.scorecard/v1"


def scorecard_document(summary: Summary) -> dict[str, object]:
    """Return the run as plain JSON values. Shape: schema, layers[], guards, verdicts, baselines[], cases[]."""
    guards = summary.guards
    return {
        "schema": SCHEMA,
        "layers": [
            {"name": row.name, "cases": row.cases}
            | {measure: _share(share) for measure, share in row.shares.items()}
            for row in summary.rows
        ],
        "guards": {
            "hold": guards.hold,
            "false_confirmed": list(guards.false_confirmed),
            "harm": [{"case": case} | asdict(finding) for case, finding in guards.harm],
            "unchecked": [{"case": case} | asdict(finding) for case, finding in guards.unchecked],
            "evidence": _share(guards.evidence),
            "misquotes": [{"case": case} | asdict(misquote) for case, misquote in guards.misquotes],
            "confirmed": _share(guards.confirmed),
            "missing": [{"case": case, "why": why} for case, why in guards.missing],
        },
        "verdicts": {word: _share(share) for word, share in summary.calibration.items()},
        "baselines": [
            {"rule": name} | {measure: _share(share) for measure, share in shares.items()}
            for name, shares in summary.baselines
        ],
        "cases": [_case(score) for score in summary.scores],
    }


def _case(score: Score) -> dict[str, object]:
    return {
        "case": score.case,
        "wanted": sorted(score.truth.accepted),
        "verdict_wanted": score.truth.verdict.value,
        "verdict": score.answer.verdict,
        "failure_class": score.answer.failure_class,
        "marks": dict(score.marks),
        "missed": list(missed(score)),
        "false_confirmed": score.false_confirmed,
        "harm": [asdict(finding) for finding in score.harmful],
        "quotes": score.quotes,
        "misquotes": len(score.misquotes),
        "missing": score.missing,
        "seconds": round(score.seconds, 3),
    }


def _share(share: Share) -> dict[str, object]:
    low, high = share.interval
    return {"hits": share.hits, "total": share.total, "share": share.value, "low": low, "high": high}
