"""Past incidents as the report shows them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firstfault.agent.findings import Diagnosis
from firstfault.agent.recollection.features import of_diagnosis
from firstfault.agent.report.contract import SimilarPart
from firstfault.tools.past_incidents import IncidentIndex, Probe, Resemblance
from firstfault.tools.signals import Signal

LEAST_SCORE = 0.25
"""Below this less than a quarter of what is telling is shared: more noise than help. Ours, from the dev cases."""

MAX_SHOWN = 3
MAX_FEATURES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Looks up what resembles an incident.

    content: tells the digest of what an incident is concluded from, so that the same recording never resembles itself.
    """

    index: IncidentIndex
    content: Callable[[str], str | None]

    def __call__(
        self, diagnosis: Diagnosis, signals: Sequence[Signal], incident_id: str
    ) -> tuple[SimilarPart, ...]:
        """Return past incidents that resemble this one, the most alike first."""
        probe = Probe(
            features=of_diagnosis(diagnosis, signals),
            text=diagnosis.summary,
            exclude_id=incident_id,
            exclude_content=self.content(incident_id),
        )
        found = self.index.similar(probe, limit=MAX_SHOWN)
        return tuple(_part(each) for each in found if each.score >= LEAST_SCORE)


def _part(each: Resemblance) -> SimilarPart:
    then = [f"only then: {feature}" for feature in each.only_then[:MAX_FEATURES]]
    now = [f"only now: {feature}" for feature in each.only_now[:MAX_FEATURES]]
    return SimilarPart(
        id=each.past.id,
        shared=list(each.shared[:MAX_FEATURES]),
        differences=[*then, *now],
        resolution=each.past.resolution or None,
        outcome=each.past.outcome.value,
    )
