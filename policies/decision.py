"""What the gate says: a word, the policies that made it, why in one line each, and the digests of everything it saw."""

from dataclasses import dataclass
from enum import IntEnum

from firstfault.policies.canonical import digest, to_bytes
from firstfault.policies.modes import Mode


class Outcome(IntEnum):
    """ALLOW < NEEDS_APPROVAL < DENY; stricter is larger."""

    ALLOW = 0
    NEEDS_APPROVAL = 1
    DENY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Because:
    """One determining policy and its reason in one line, numbers filled in."""

    policy: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """SHA-256 of every input. bound: what an approval is tied to on the facts' side."""

    proposal: str
    facts: str
    bound_facts: str
    history: str
    limits: str
    policies: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDecision:
    """The gate's word on one proposal.

    decision: what holds now. would_be: the same in approve mode (what shadow scoring counts).
    because: what determined either, mode first; `would_be_because`: what determined would_be alone.
    approvers_needed: people who must say yes before NEEDS_APPROVAL turns into ALLOW.
    """

    decision: Outcome
    would_be: Outcome
    mode: Mode
    because: tuple[Because, ...]
    would_be_because: tuple[Because, ...]
    approvers_needed: int
    digests: Digests

    @property
    def determining(self) -> tuple[str, ...]:
        """Return the ids of the policies that determined the decision."""
        return tuple(item.policy for item in self.because)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return one line per determining policy, in the same order."""
        return tuple(item.reason for item in self.because)

    def to_bytes(self) -> bytes:
        """Return the canonical bytes: equal inputs give equal bytes."""
        return to_bytes(
            {
                **_fields(self),
                "decision": self.decision.name,
                "would_be": self.would_be.name,
            }
        )

    @property
    def digest(self) -> str:
        """Return the digest of the whole decision."""
        return digest(
            {
                **_fields(self),
                "decision": self.decision.name,
                "would_be": self.would_be.name,
            }
        )


def _fields(decision: PolicyDecision) -> dict[str, object]:
    return {
        "mode": decision.mode,
        "because": decision.because,
        "would_be_because": decision.would_be_because,
        "approvers_needed": decision.approvers_needed,
        "digests": decision.digests,
    }
