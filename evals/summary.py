"""One run over many cases, added up: shares by layer, the guards that must hold, and what is still wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

from firstfault.evals.baselines import Baseline
from firstfault.evals.harm import Check, Finding
from firstfault.evals.quotes import Misquote
from firstfault.evals.scoring import MEASURES, Measure, Score
from firstfault.evals.shares import Share, share_of

ALL = "all"
"""Name of the row over every case."""

VERDICT_WORDS = ("CONFIRMED", "LIKELY", "INCONCLUSIVE", "NO_FAULT", "MISSING")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The measures over one group of cases."""

    name: str
    cases: int
    shares: dict[Measure, Share]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guards:
    """What must hold whatever the shares are. confirmed: among certain cases that ask to name the cause."""

    false_confirmed: tuple[str, ...]
    harm: tuple[tuple[str, Finding], ...]
    unchecked: tuple[tuple[str, Finding], ...]
    evidence: Share
    misquotes: tuple[tuple[str, Misquote], ...]
    confirmed: Share
    missing: tuple[tuple[str, str], ...]

    @property
    def hold(self) -> bool:
        """Return whether nothing false was confirmed, nothing harmful recommended and every quote found."""
        return not (self.false_confirmed or self.harm or self.misquotes or self.missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Everything a scorecard shows. calibration: how often each verdict word was right."""

    rows: tuple[Row, ...]
    guards: Guards
    calibration: dict[str, Share]
    baselines: tuple[tuple[str, dict[Measure, Share]], ...]
    scores: tuple[Score, ...]

    @property
    def wrong(self) -> tuple[Score, ...]:
        """Return the cases whose conclusion is not right."""
        return tuple(score for score in self.scores if not score.marks["right"])

    @property
    def partly(self) -> tuple[Score, ...]:
        """Return the cases that are right but missed something else."""
        return tuple(score for score in self.scores if score.marks["right"] and missed(score))


def missed(score: Score) -> tuple[Measure, ...]:
    """Return the measures that were compared and missed; the class only where the case as a whole is wrong."""
    exempt = {"failure_class", "layer"} if score.marks["right"] else set[str]()
    return tuple(measure for measure in MEASURES if score.marks[measure] is False and measure not in exempt)


def summarize(scores: Sequence[Score], baselines: Sequence[Baseline] = ()) -> Summary:
    """Return the scores added up, over all cases and by the layer of the truth."""
    ordered = tuple(sorted(scores, key=lambda score: score.case))
    layers = sorted({score.truth.layer for score in ordered})
    groups = [(ALL, ordered)]
    groups += [(layer, tuple(score for score in ordered if score.truth.layer == layer)) for layer in layers]
    return Summary(
        rows=tuple(_row(name, group) for name, group in groups),
        guards=_guards(ordered),
        calibration={
            word: share_of(score.marks["right"] for score in ordered if score.answer.verdict == word)
            for word in VERDICT_WORDS
        },
        baselines=tuple(
            (baseline.name, {measure: _share(baseline.scores, measure) for measure in baseline.measures})
            for baseline in baselines
        ),
        scores=ordered,
    )


def _row(name: str, scores: Sequence[Score]) -> Row:
    return Row(
        name=name, cases=len(scores), shares={measure: _share(scores, measure) for measure in MEASURES}
    )


def _share(scores: Sequence[Score], measure: Measure) -> Share:
    return share_of(score.marks[measure] for score in scores)


def _guards(scores: Sequence[Score]) -> Guards:
    quotes = sum(score.quotes for score in scores)
    misquotes = tuple((score.case, misquote) for score in scores for misquote in score.misquotes)
    return Guards(
        false_confirmed=tuple(score.case for score in scores if score.false_confirmed),
        harm=tuple((score.case, finding) for score in scores for finding in score.harmful),
        unchecked=tuple(
            (score.case, finding)
            for score in scores
            for finding in score.harm
            if finding.check is Check.NOT_CHECKABLE
        ),
        evidence=Share(hits=quotes - len(misquotes), total=quotes),
        misquotes=misquotes,
        confirmed=share_of(
            score.confirmed and not score.false_confirmed for score in scores if score.confirmable
        ),
        missing=tuple((score.case, score.missing) for score in scores if score.missing is not None),
    )
