"""Past incidents as a team remembers them: when the alert came, what was wrong, what people did, how it ended.

What is not known is None and stays None: a missing cause is asked for, never guessed. An empty list of actions says
that nobody did anything; None says that nobody wrote down whether they did.
"""

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from firstfault.evals.truth import Culprit, Line, Measures, Truth, Wanted


class HistoryRecord(BaseModel):
    """Base of what is imported and stored: unknown fields are refused, so that a typing error is not lost data."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Text = Annotated[str, Field(min_length=1)]


class Thing(HistoryRecord):
    """What something was done to. node: the machine it sits on, when it is not one itself."""

    kind: Text
    name: Text
    namespace: str | None = None
    node: str | None = None


class HumanAction(HistoryRecord):
    """One thing a person (or their automation) did, in the words of the closed set of actions.

    undone_at: when the same was taken back. source: the audit log, a ticket, the person who says so.
    """

    at: AwareDatetime
    actor: Text
    action: Text
    target: Thing
    source: Text
    undone_at: AwareDatetime | None = None


class KnownCause(HistoryRecord):
    """What was really wrong, as far as anybody knows. author and source say who claims it."""

    failure_class: str | None = None
    acceptable_classes: tuple[str, ...] = ()
    layer: str | None = None
    owner: str | None = None
    culprit: Culprit | None = None
    first_fault: Line | None = None
    wanted: Wanted = Wanted.NAME_CAUSE
    certainty: str = "plausible"
    actions: Measures = Measures()
    author: str = "import"
    source: str = "import"

    def truth(self) -> Truth | None:
        """Return it as the scorer reads it, None while the class is not known."""
        if self.failure_class is None:
            return None
        return Truth(
            failure_class=self.failure_class,
            acceptable_classes=self.acceptable_classes,
            layer=self.layer or self.failure_class.partition(".")[0],
            owner=self.owner,
            verdict=self.wanted,
            certainty=self.certainty,
            culprit=self.culprit,
            first_fault=self.first_fault,
            actions=self.actions,
        )


class PastIncident(HistoryRecord):
    """One incident of the past.

    recording: folder, archive or file with what was recorded, relative to the history file; None: nothing was kept.
    is_false_alarm: whether nothing was wrong; None: nobody said.
    """

    id: Text
    alert_at: AwareDatetime | None = None
    cluster: str | None = None
    question: str | None = None
    recording: str | None = None
    cause: KnownCause | None = None
    is_false_alarm: bool | None = None
    actions: tuple[HumanAction, ...] | None = None
    resolved_at: AwareDatetime | None = None
    resolution: str | None = None
    outcome: str | None = None
    source: str = "import"

    @property
    def truth(self) -> Truth | None:
        """Return what was wrong, None when that is not known. A false alarm is a truth of its own."""
        found = self.cause.truth() if self.cause else None
        if found is None and self.is_false_alarm:
            return KnownCause(failure_class="none.healthy").truth()
        return found

    @property
    def week(self) -> str | None:
        """Return the ISO week of the alert, `2026-W14`, None without a time."""
        if self.alert_at is None:
            return None
        year, week, _ = self.alert_at.isocalendar()
        return f"{year}-W{week:02d}"


def unknowns(incident: PastIncident) -> tuple[str, ...]:
    """Return what somebody should be asked for, so that the incident can be scored."""
    asked: list[str] = []
    if incident.truth is None:
        asked.append("cause")
    if incident.actions is None:
        asked.append("actions")
    if incident.alert_at is None:
        asked.append("alert time")
    return tuple(asked)


def in_order(incidents: tuple[PastIncident, ...]) -> tuple[PastIncident, ...]:
    """Return the incidents by alert time, the ones without a time last, ties by id."""

    def key(incident: PastIncident) -> tuple[bool, float, str]:
        at: datetime | None = incident.alert_at
        return (at is None, at.timestamp() if at else 0.0, incident.id)

    return tuple(sorted(incidents, key=key))
