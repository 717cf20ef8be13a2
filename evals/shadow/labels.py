"""What follows from the labels of an incident.

A later label of the same author replaces the earlier one. Where two authors disagree, the field counts as unknown and
the disagreement is shown: it is for people to settle, not for the scorer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from firstfault.agent.feedback.labels import About, Label
from firstfault.evals.shadow.history import KnownCause, PastIncident
from firstfault.evals.truth import Culprit, Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """An incident with what its labels agree on, and what they do not agree on, one sentence each."""

    incident: PastIncident
    conflicts: tuple[str, ...] = ()


def settle(incident: PastIncident, labels: Iterable[Label]) -> Settled:
    """Return the incident as its import and all labels together tell it."""
    claims = _claims(incident, labels)
    agreed: dict[About, str] = {}
    conflicts: list[str] = []
    for field, by_author in claims.items():
        values = dict.fromkeys(by_author.values())
        if len(values) == 1:
            agreed[field] = next(iter(values))
        else:
            told = ", ".join(f"{author}: {value}" for author, value in by_author.items())
            conflicts.append(f"{incident.id}: people disagree on {field} ({told})")
    return Settled(incident=_with(incident, agreed, claims), conflicts=tuple(conflicts))


def _claims(incident: PastIncident, labels: Iterable[Label]) -> Mapping[About, Mapping[str, str]]:
    claims: dict[About, dict[str, str]] = {}
    for field, value in _imported(incident).items():
        author = incident.cause.author if incident.cause else incident.source
        claims.setdefault(field, {})[author] = value
    for label in sorted(labels, key=lambda label: label.at):
        if label.incident == incident.id:
            claims.setdefault(label.field, {})[label.author] = label.value
    return claims


def _imported(incident: PastIncident) -> Mapping[About, str]:
    cause = incident.cause or KnownCause()
    told: dict[About, str | None] = {
        About.FAILURE_CLASS: cause.failure_class,
        About.LAYER: cause.layer,
        About.OWNER: cause.owner,
        About.CULPRIT: f"{cause.culprit.kind}/{cause.culprit.name}" if cause.culprit else None,
        About.FIRST_FAULT: f"{cause.first_fault.path}:{cause.first_fault.line}"
        if cause.first_fault
        else None,
        About.FALSE_ALARM: None if incident.is_false_alarm is None else str(incident.is_false_alarm).lower(),
        About.RESOLUTION: incident.resolution,
        About.OUTCOME: incident.outcome,
    }
    return {field: value for field, value in told.items() if value is not None}


def _with(
    incident: PastIncident, agreed: Mapping[About, str], claims: Mapping[About, Mapping[str, str]]
) -> PastIncident:
    base = incident.cause or KnownCause()
    authors = {author for by_author in claims.values() for author in by_author}
    cause = base.model_copy(
        update={
            "failure_class": agreed.get(About.FAILURE_CLASS),
            "layer": agreed.get(About.LAYER),
            "owner": agreed.get(About.OWNER),
            "culprit": _culprit(agreed.get(About.CULPRIT)),
            "first_fault": _line(agreed.get(About.FIRST_FAULT)),
            "author": ", ".join(sorted(authors)) or base.author,
        }
    )
    false_alarm = agreed.get(About.FALSE_ALARM)
    return incident.model_copy(
        update={
            "cause": cause,
            "is_false_alarm": None if false_alarm is None else false_alarm == "true",
            "resolution": agreed.get(About.RESOLUTION),
            "outcome": agreed.get(About.OUTCOME),
        }
    )


def _culprit(text: str | None) -> Culprit | None:
    if text is None:
        return None
    kind, _, name = text.partition("/")
    return Culprit(kind=kind, name=name) if name else Culprit(kind="unknown", name=text)


def _line(text: str | None) -> Line | None:
    path, _, number = (text or "").rpartition(":")
    return Line(path=path, line=int(number)) if path and number.isdigit() else None


def missing_labels(incidents: Sequence[PastIncident]) -> tuple[str, ...]:
    """Return the ids of incidents whose cause somebody should tell, oldest first."""
    return tuple(incident.id for incident in incidents if incident.truth is None)
