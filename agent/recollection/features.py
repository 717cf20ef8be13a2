"""What an incident is found again by. Pure."""

from collections.abc import Iterable

from firstfault.agent.findings import Diagnosis
from firstfault.agent.report.contract import Report
from firstfault.tools.signals import Signal

TELLING_ROLES = frozenset({"cause", "echo", "symptom"})
"""Roles whose signals characterise an incident; context is there in quiet times too."""


def of_diagnosis(diagnosis: Diagnosis, signals: Iterable[Signal]) -> frozenset[str]:
    """Return the features of an incident as it is being investigated."""
    culprit = diagnosis.culprit.kind.value if diagnosis.culprit else None
    return _features(diagnosis.failure_class, culprit, (signal.name for signal in signals))


def of_report(
    report: Report, *, failure_class: str | None = None, culprit_kind: str | None = None
) -> frozenset[str]:
    """Return the features of a reported incident; what people found out later replaces what the report said."""
    culprit = report.diagnosis.culprit
    return _features(
        failure_class or report.diagnosis.failure_class,
        culprit_kind or (culprit.kind if culprit else None),
        (entry.signal for entry in report.timeline if entry.role in TELLING_ROLES),
    )


def said(failure_class: str | None, culprit_kind: str | None, signals: Iterable[str]) -> frozenset[str]:
    """Return the features of an incident as a person describes it."""
    return _features(failure_class or "unknown", culprit_kind, signals)


def _features(failure_class: str, culprit_kind: str | None, signals: Iterable[str]) -> frozenset[str]:
    found = {f"signal:{name}" for name in signals}
    if failure_class != "unknown":
        found.add(f"class:{failure_class}")
    if culprit_kind is not None:
        found.add(f"culprit:{culprit_kind}")
    return frozenset(found)
