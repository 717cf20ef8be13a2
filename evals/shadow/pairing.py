"""What was recommended beside what people really did.

A pair needs the same target, or two targets of one machine or one workload, inside a window around the alert. Whoever
did more than was recommended (a drain holds a cordon) agreed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from firstfault.agent.report.contract import RecommendationPart
from firstfault.evals.shadow.history import HumanAction, Thing
from firstfault.policies.actions import EXECUTABLE
from firstfault.tools.entities import canonical_bdf

WINDOW = timedelta(hours=24)
"""How long after the alert an action still belongs to the incident."""
BEFORE = timedelta(minutes=10)
"""How long before it: the person on call may have been faster than the alert."""

INCLUDES: Mapping[str, frozenset[str]] = {
    "drain_node": frozenset({"cordon_node"}),
    "node_reboot": frozenset({"gpu_reset"}),
    "node_replace": frozenset({"cordon_node", "drain_node"}),
}
"""What a person has also done who did the named action."""


class Meeting(StrEnum):
    """How a recommendation and what people did compare."""

    AGREED = "agreed"
    OTHER_ACTION = "other_action"
    NOT_DONE = "not_done"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One executable recommendation with what people did. lead_s: how much earlier the recommendation was there."""

    action: str
    target: str
    meeting: Meeting
    human: HumanAction | None = None
    lead_s: float | None = None

    @property
    def undone(self) -> bool:
        """Return whether people took back what they had done as recommended."""
        return self.meeting is Meeting.AGREED and self.human is not None and self.human.undone_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All pairs of one incident. missed: what people did that was not recommended; None: not known what they did."""

    pairs: tuple[Pair, ...]
    missed: tuple[HumanAction, ...] | None

    @property
    def agreed(self) -> bool | None:
        """Return whether people did something that was recommended, None when that cannot be known.

        Recommending nothing to execute agrees with people who executed nothing.
        """
        if self.missed is None:
            return None
        if any(pair.meeting is Meeting.AGREED for pair in self.pairs):
            return True
        return not self.pairs and not self.missed

    @property
    def lead_s(self) -> float | None:
        """Return the lead over the first action that people agreed on."""
        leads = [pair.lead_s for pair in self.pairs if pair.lead_s is not None]
        return max(leads, default=None)


def compare(
    recommendations: Sequence[RecommendationPart],
    actions: Sequence[HumanAction] | None,
    alert_at: datetime | None,
    made_at: datetime | None,
) -> Comparison:
    """Return the pairs. made_at: when the recommendation was there; None when that has no meaning."""
    wanted = [part for part in recommendations if part.action in EXECUTABLE]
    if actions is None:
        unknown = tuple(_pair(part, Meeting.UNKNOWN) for part in wanted)
        return Comparison(pairs=unknown, missed=None)
    near = [
        action
        for action in actions
        if alert_at is None or alert_at - BEFORE <= action.at <= alert_at + WINDOW
    ]
    pairs = tuple(_compared(part, near, made_at) for part in wanted)
    met = {id(pair.human) for pair in pairs if pair.meeting is Meeting.AGREED}
    missed = tuple(action for action in near if id(action) not in met and action.action in EXECUTABLE)
    return Comparison(pairs=pairs, missed=missed)


def _compared(part: RecommendationPart, near: Sequence[HumanAction], made_at: datetime | None) -> Pair:
    here = sorted(
        (action for action in near if same_place(part, action.target)), key=lambda action: action.at
    )
    for action in here:
        if part.action == action.action or part.action in INCLUDES.get(action.action, ()):
            lead_s = None if made_at is None else (action.at - made_at).total_seconds()
            return _pair(part, Meeting.AGREED, action, lead_s)
    if here:
        return _pair(part, Meeting.OTHER_ACTION, here[0])
    return _pair(part, Meeting.NOT_DONE)


def _pair(
    part: RecommendationPart, meeting: Meeting, human: HumanAction | None = None, lead_s: float | None = None
) -> Pair:
    return Pair(action=part.action, target=part.target.name, meeting=meeting, human=human, lead_s=lead_s)


def same_place(part: RecommendationPart, thing: Thing) -> bool:
    """Return whether both speak of one thing: the same name, or the same machine under a device."""
    mine, theirs = _plain(part.target.name), _plain(thing.name)
    if mine == theirs:
        return part.target.kind == thing.kind or part.target.kind in {"node", "gpu", thing.kind}
    return thing.node is not None and mine == _plain(thing.node)


def _plain(name: str) -> str:
    return canonical_bdf(name) or name.rpartition("/")[2]
