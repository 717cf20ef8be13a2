"""What a rendering needs besides the report: where it is read, by whom it was answered, and where the rest of it is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from firstfault.agent.report.contract import EvidencePart, RecommendationPart, Report
from firstfault.agent.slack.blocks.text import code, link, prose
from firstfault.agent.slack.standing import Standing

ADVICE = "advice.executes_nothing"
_SHADOW = "shadow"
_ACCOUNT = re.compile(r"[UW][A-Z0-9]{7,}")
"""What Slack calls a person. Source: Slack, "user" type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A report as one channel sees it.

    with_shadow: cells in shadow are shown, marked as such (shadow channel, and answers to questions). page: address of the
    report. members: name of a person → Slack id. is_known: which other incidents this channel may hear of.
    """

    report: Report
    standing: Standing
    with_shadow: bool = False
    page: str | None = None
    members: Mapping[str, str] = field(default_factory=dict[str, str])
    known: frozenset[str] | None = None

    def person(self, name: str) -> str:
        """Return how a person is named: by the account, where it is known; who was given no name is an account."""
        account = self.members.get(name) or (name if _ACCOUNT.fullmatch(name) else None)
        return f"<@{account}>" if account else prose(name, 60)

    def recommendations(self) -> tuple[RecommendationPart, ...]:
        """Return what this channel is told to do: without what is only scored, unless it is shown as such."""
        return tuple(
            part
            for part in self.report.recommendations
            if self.with_shadow or part.policy.mode != _SHADOW or ADVICE in part.policy.determining
        )

    def whole(self, words: str = "the whole report") -> str:
        """Return where the rest is."""
        if self.page is not None:
            return link(self.page, words)
        return f"{words}: {code(f'firstfault incidents show {self.report.incident.id}', 100)}"

    def source(self, part: EvidencePart, words: str, number: int | None = None) -> str:
        """Return `words`, linked to where a human finds the excerpt: its own system, else its place in the report."""
        page = None if self.page is None or number is None else f"{self.page}#e{number}"
        return link(part.link or page, words)
