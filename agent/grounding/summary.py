"""The summary of a report: the code's own headline, then the sentences that passed, each with its evidence. Pure."""

from collections.abc import Sequence

from firstfault.agent.grounding.claims import Claim


def summary_of(headline: str, kept: Sequence[Claim]) -> str:
    """Return the headline on the first line and the grounded sentences on the second, evidence ids in brackets."""
    return "\n".join([headline, " ".join(_sentence(claim) for claim in kept)]) if kept else headline


def _sentence(claim: Claim) -> str:
    text = claim.text.strip().rstrip(".")
    return f"{text[:1].upper()}{text[1:]} [{', '.join(claim.evidence)}]."
