"""The scorecard as people read it: one Markdown page, the same bytes for the same scores.

Times are left out of it (they differ from run to run); the command prints them.
"""

from collections.abc import Mapping, Sequence

from firstfault.evals.scoring import MEASURES, Answer, Measure
from firstfault.evals.shares import Share
from firstfault.evals.summary import Summary, missed
from firstfault.evals.truth import Truth, Wanted

_TITLES: dict[Measure, str] = {
    "right": "right",
    "failure_class": "class",
    "layer": "layer",
    "owner": "owner",
    "culprit": "culprit",
    "first_fault": "first fault",
    "action": "action",
}

_INTRO = """\
# Scorecard

Written by `firstfault evals run`. Do not edit: the next run replaces it.

The rules were written with these cases at hand, so expect less on cases that nobody here has seen. What guards against
rules made for one case is `firstfault evals rules`, which shows for each rule how many cases and own inputs hit it.

Every share is `hits/cases percent [95 % Wilson interval]`. A case counts where its truth has something to compare:
a truth without a culprit or first fault is left out of that column. A missing report is wrong everywhere.

- **right**: the class is one of the accepted ones; or, where narrowing is enough, the layer without CONFIRMED; or,
  where the evidence does not allow a class, abstaining; or, where nothing was wrong, saying so.
- **class**, **layer**, **owner**: exactly the truth. **culprit**: one name holds the other.
- **first fault**: the same file and line. **action**: one of the first two recommendations is among the expected.
"""


_OPEN = "not looked into yet"


def scorecard(summary: Summary, reasons: Mapping[str, str]) -> str:
    """Return the page. reasons: why something is still missed, by `case measure`, as people wrote it."""
    parts = [
        _INTRO,
        "## By layer\n",
        _layers(summary),
        "## Guards\n",
        _guards(summary),
        "## Verdict words\n",
        _calibration(summary),
        "## Baselines, scored in the same run\n",
        _baselines(summary),
        "## Still wrong\n",
        _wrong(summary, reasons),
        "## Right, but something missed\n",
        _partly(summary, reasons),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def _layers(summary: Summary) -> str:
    head = ("layer", "cases", *(_TITLES[measure] for measure in MEASURES))
    rows = [
        (row.name, str(row.cases), *(str(row.shares[measure]) for measure in MEASURES))
        for row in summary.rows
    ]
    return _table(head, rows)


def _guards(summary: Summary) -> str:
    guards = summary.guards
    harm = [f"{case} {finding.action} on {finding.target} ({finding.rule})" for case, finding in guards.harm]
    quotes = [f"{case} {misquote.where} {misquote.why}" for case, misquote in guards.misquotes]
    missing = [f"{case} ({why})" for case, why in guards.missing]
    rows = [
        ("false CONFIRMED", "0", str(len(guards.false_confirmed)), ", ".join(guards.false_confirmed)),
        ("harmful recommendations", "0", str(len(guards.harm)), "; ".join(harm)),
        (
            "excerpts found verbatim",
            "all",
            f"{guards.evidence.hits}/{guards.evidence.total}",
            "; ".join(quotes),
        ),
        ("missing reports", "0", str(len(guards.missing)), "; ".join(missing)),
        ("CONFIRMED among certain name-the-cause cases", "≥ 40 %", str(guards.confirmed), ""),
    ]
    table = _table(("guard", "must be", "is", "which"), rows)
    if not guards.unchecked:
        return table
    listed = [
        f"{case}: {finding.action} on {finding.target} ({finding.rule})" for case, finding in guards.unchecked
    ]
    return (
        table
        + "\nRecommended actions that the truth restricts in words no program can check:\n\n"
        + _list(listed)
    )


def _calibration(summary: Summary) -> str:
    rows = [(word, str(share)) for word, share in summary.calibration.items() if share.total]
    return _table(("verdict", "right when said"), rows)


def _baselines(summary: Summary) -> str:
    head = ("rule", *(_TITLES[measure] for measure in MEASURES))
    own = summary.rows[0].shares
    named: list[tuple[str, Mapping[Measure, Share]]] = [("**firstfault**", own), *summary.baselines]
    rows = [
        (name, *(str(shares[measure]) if measure in shares else "" for measure in MEASURES))
        for name, shares in named
    ]
    return _table(head, rows)


def _wrong(summary: Summary, reasons: Mapping[str, str]) -> str:
    if not summary.wrong:
        return "None.\n"
    rows = [
        (score.case, wanted(score.truth), got(score.answer), reasons.get(f"{score.case} right", _OPEN))
        for score in summary.wrong
    ]
    return _table(("case", "wanted", "got", "why"), rows)


def _partly(summary: Summary, reasons: Mapping[str, str]) -> str:
    if not summary.partly:
        return "None.\n"
    rows = [
        (
            score.case,
            _TITLES[measure],
            expected(score.truth, measure),
            said(score.answer, measure),
            reasons.get(f"{score.case} {measure}", _OPEN),
        )
        for score in summary.partly
        for measure in missed(score)
    ]
    return _table(("case", "missed", "wanted", "got", "why"), rows)


def wanted(truth: Truth) -> str:
    """Return the answer that was wanted, in a few words."""
    verbs = {Wanted.NAME_CAUSE: "", Wanted.NARROW_TO: "at least the layer of ", Wanted.ABSTAIN: "abstain: "}
    return verbs[truth.verdict] + " or ".join((truth.failure_class, *truth.acceptable_classes))


def got(answer: Answer) -> str:
    """Return the answer that was given, in a few words."""
    return f"{answer.verdict} {answer.failure_class}" if answer.failure_class else answer.verdict


def expected(truth: Truth, measure: Measure) -> str:
    """Return what a measure compared against."""
    values: dict[Measure, str] = {
        "right": wanted(truth),
        "failure_class": truth.failure_class,
        "layer": truth.layer,
        "owner": truth.owner or "",
        "culprit": truth.culprit.name if truth.culprit else "",
        "first_fault": f"{truth.first_fault.path}:{truth.first_fault.line}" if truth.first_fault else "",
        "action": ", ".join(truth.actions.expected),
    }
    return values[measure]


def said(answer: Answer, measure: Measure) -> str:
    """Return what the answer says on a measure."""
    values: dict[Measure, str | None] = {
        "right": got(answer),
        "failure_class": answer.failure_class,
        "layer": answer.layer,
        "owner": answer.owner,
        "culprit": answer.culprit,
        "first_fault": ":".join(map(str, answer.first_fault)) if answer.first_fault else None,
        "action": ", ".join(answer.actions[:2]) or None,
    }
    return values[measure] or "nothing"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [_cells(head), _cells(["---"] * len(head)), *(_cells(row) for row in rows)]
    return "\n".join(lines) + "\n"


def _cells(values: Sequence[str]) -> str:
    return "| " + " | ".join(value.replace("|", "\\|").replace("\n", " ") for value in values) + " |"


def _list(items: Sequence[str]) -> str:
    return "".join(f"- {item}\n" for item in items)
