"""Whether a report on a made-up incident says what happened: the class, whose it is, where, and what is shared."""

from collections.abc import Iterator

from firstfault.agent.report.contract import Report
from firstfault.evals.sim.headline.faults import Answer


def mistakes(report: Report, answer: Answer) -> tuple[str, ...]:
    """Return what is wrong with the report, one sentence each; nothing when it is right."""
    return tuple(_mistakes(report, answer))


def _mistakes(report: Report, answer: Answer) -> Iterator[str]:
    diagnosis = report.diagnosis
    if report.verdict not in answer.verdicts:
        yield f"the verdict is {report.verdict}, not {' or '.join(answer.verdicts)}"
    if answer.failure_class not in {None, diagnosis.failure_class}:
        yield f"the class is `{diagnosis.failure_class}`, not `{answer.failure_class}`"
    if answer.owner not in {None, diagnosis.owner}:
        yield f"the owner is `{diagnosis.owner}`, not `{answer.owner}`"
    if answer.places and not any(place in named for place in answer.places for named in _named(report)):
        yield f"none of {', '.join(answer.places)} is named as the culprit or where the first fault was"
    shared = [cause.value for cause in report.common_causes]
    if shared != ([answer.shared] if answer.shared else []):
        yield f"{', '.join(shared) or 'nothing'} is said to be shared, not {answer.shared or 'nothing'}"


def _named(report: Report) -> Iterator[str]:
    """Yield what the report names: the culprit, and the first fault with the file that it stands in."""
    if report.diagnosis.culprit is not None:
        yield report.diagnosis.culprit.name
    if report.first_fault is not None:
        yield report.first_fault.entity.name
        yield report.first_fault.path
