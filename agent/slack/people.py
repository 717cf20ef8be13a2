"""Who somebody in Slack is for the gate: the person of `[approvers]`, and the groups whose members Slack knows.

A user group that cannot be read has no members: it is not known who belongs to it, and nobody is let in on a guess.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from firstfault.agent.slack.ports.port import ChatError
from firstfault.policies.approvals import Roster

KEEP_S = 60.0
"""How long the members of a user group are believed. Ours: a person who leaves is out within a minute."""


@dataclass(kw_only=True)
class People:
    """Names and groups. roster: as the settings have it. members_of: asks Slack who is in a user group."""

    names: Mapping[str, str]
    roster: Roster
    groups: Mapping[str, str] = field(default_factory=dict[str, str])
    members_of: Callable[[str], frozenset[str]] | None = None
    clock: Callable[[], float] = time.monotonic
    _seen: dict[str, tuple[float, frozenset[str]]] = field(
        default_factory=dict[str, tuple[float, frozenset[str]]]
    )

    def name(self, account: str) -> str:
        """Return the person behind an account; an account that nobody named is its own name."""
        return self.names.get(account, account)

    @property
    def members(self) -> Mapping[str, str]:
        """Return the account of each named person."""
        return {name: account for account, name in self.names.items()}

    def account(self, name: str) -> str | None:
        """Return the account of a person, or None."""
        return self.members.get(name)

    def roster_now(self) -> Roster:
        """Return who may approve what, with the members of user groups as they are now."""
        groups = dict(self.roster.groups)
        for group, slack_group in self.groups.items():
            found = frozenset(self.name(account) for account in self._members(slack_group))
            groups[group] = groups.get(group, frozenset()) | found
        return Roster(groups=groups, actions=self.roster.actions)

    def _members(self, group: str) -> frozenset[str]:
        if self.members_of is None:
            return frozenset()
        kept = self._seen.get(group)
        if kept is not None and self.clock() - kept[0] < KEEP_S:
            return kept[1]
        try:
            found = self.members_of(group)
        except ChatError:
            return frozenset()
        self._seen[group] = (self.clock(), found)
        return found
