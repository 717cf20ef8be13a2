"""Which sentences of a model may be shown: those that say what code found, and prove it. Pure.

Every check is total and made by code: evidence exists, quotes stand in it byte for byte, and each clause uses only the words,
names, numbers and times of one finding that it cites (`voices`). An order or a cause is kept only where the timeline has it.
"""

import re
from collections.abc import Iterable, Sequence

from firstfault.agent.findings import Role, TimelineEntry
from firstfault.agent.grounding.claims import Claim, ClosedSets, Dropped, Grounded, Why
from firstfault.agent.grounding.objections import Objection, objection_to
from firstfault.agent.grounding.sides import Link, Sides, sides_of
from firstfault.agent.grounding.speech import Held, Voice, spoken
from firstfault.agent.grounding.voices import voices_of
from firstfault.tools.evidence import Coverage, Evidence
from firstfault.tools.times import Order, order

MAX_CLAIMS = 8
"""Sentences in a summary."""
MAX_CHARS = 300
MIN_QUOTE_CHARS = 6

_PLAIN = re.compile(r"[A-Za-z0-9 .,;:()'/_%#+=-]*")
_ADVICE = re.compile(
    r"\b(?:should|must|need|needs|needed|please|recommend\w*|suggest\w*|advis\w*|consider|ensure|verify|contact|do not|don't"
    r"|let|you|your|we|our|me|kubectl|sudo|confirmed|certain\w*|definite\w*|proven|proof|confiden\w*)\b"
    r"|(?:^|\bto |\band |\bthen |[;,.] ?)(?:cordon|uncordon|drain|reboot|restart|reset|replace|roll ?back|delete|evict|run)\b",
    re.IGNORECASE,
)
"""Advice and certainty; code alone gives either."""


def ground(
    claims: Iterable[Claim],
    evidence: Iterable[Evidence],
    timeline: Sequence[TimelineEntry],
    coverage: Sequence[Coverage],
    closed: ClosedSets,
) -> Grounded:
    """Return the claims that hold and those that do not, with the reason.

    evidence: with excerpts redacted as they are stored and shown; quotes are looked for in these bytes.
    """
    held = Held(
        evidence={item.id: item for item in evidence}, timeline=timeline, coverage=coverage, closed=closed
    )
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    for claim in claims:
        found = _against(claim, held) or _against_rest(claim, kept)
        if found is None:
            kept.append(claim)
        else:
            dropped.append(Dropped(text=claim.text, why=found.why, because=found.because))
    return Grounded(kept=tuple(kept), dropped=tuple(dropped))


def _against(claim: Claim, held: Held) -> Objection | None:
    found = _against_form(claim.text) or _against_citations(claim, held) or _against_quotes(claim, held)
    if found is not None:
        return found
    voices = voices_of(claim, held)
    if not voices:
        because = (
            "what it says is absent was not verified"
            if claim.absent
            else "the cited evidence belongs to no finding"
        )
        return Objection(why=Why.ABSENCE if claim.absent else Why.NO_EVIDENCE, because=because)
    terms = {" ".join(spoken(entry.signal.name).split()) for voice in voices for entry in voice.entries}
    for part in claim.text.split(";"):
        sides = sides_of(part.strip().rstrip("."), terms)
        against = _against_part(sides, voices)
        if against is not None:
            return against
    return None


def _against_rest(claim: Claim, kept: Sequence[Claim]) -> Objection | None:
    if any(claim.text.strip().lower() == other.text.strip().lower() for other in kept):
        return Objection(why=Why.REPEATED, because="it repeats a sentence")
    if len(kept) >= MAX_CLAIMS:
        return Objection(why=Why.TOO_MANY, because=f"more than {MAX_CLAIMS} sentences")
    return None


def _against_form(text: str) -> Objection | None:
    if not text.strip() or len(text) > MAX_CHARS:
        return Objection(why=Why.FORM, because=f"not a sentence of 1 to {MAX_CHARS} characters")
    if not _PLAIN.fullmatch(text):
        return Objection(why=Why.FORM, because="it holds characters that are not plain text")
    advice = _ADVICE.search(text)
    if advice is not None:
        return Objection(why=Why.ADVICE, because=f"`{advice[0]}`: advice and certainty come from code")
    return None


def _against_citations(claim: Claim, held: Held) -> Objection | None:
    if not claim.evidence:
        return Objection(why=Why.NO_EVIDENCE, because="it cites no evidence")
    unknown = next((item for item in claim.evidence if item not in held.evidence), None)
    return (
        None
        if unknown is None
        else Objection(why=Why.NO_EVIDENCE, because=f"there is no evidence `{_short(unknown)}`")
    )


def _against_quotes(claim: Claim, held: Held) -> Objection | None:
    if not claim.quotes:
        return Objection(why=Why.QUOTE, because="it quotes nothing")
    for quote in claim.quotes:
        if quote.evidence not in claim.evidence:
            return Objection(why=Why.QUOTE, because="it quotes evidence that it does not cite")
        if len(quote.text.strip()) < MIN_QUOTE_CHARS:
            return Objection(why=Why.QUOTE, because=f"a quote is shorter than {MIN_QUOTE_CHARS} characters")
        if quote.text not in held.evidence[quote.evidence].excerpt:
            return Objection(why=Why.QUOTE, because=f"the quote is not in `{quote.evidence}`")
    return None


def _against_part(sides: Sides | None, voices: Sequence[Voice]) -> Objection | None:
    if sides is None:
        return Objection(why=Why.ORDER, because="it links more than two things in one sentence")
    if sides.link is None:
        return _best([objection_to(sides.earlier, voice) for voice in voices])
    pairs = [
        (a, b, _gap(a, b)) for a in voices for b in voices if a.entries and b.entries and not _overlap(a, b)
    ]
    said = [
        (a, b)
        for a, b, gap in pairs
        if not objection_to(sides.earlier, a, gap) and not objection_to(sides.later, b, gap)
    ]
    if not said:
        earlier = _best([objection_to(sides.earlier, voice) for voice in voices])
        later = _best([objection_to(sides.later, voice) for voice in voices])
        return (
            earlier
            or later
            or Objection(why=Why.ORDER, because="its two sides are not two findings that it cites")
        )
    if not all(_holds(sides.link, a, b) for a, b in said):
        return Objection(
            why=Why.ORDER, because="the timeline does not have this order" + _cause_too(sides.link)
        )
    return None


def _cause_too(link: Link) -> str:
    return " or this cause" if link is Link.CAUSE else ""


def _best(objections: Sequence[Objection | None]) -> Objection | None:
    """Return None when one voice has no objection, else the objection of the voice that got furthest."""
    if not objections or any(found is None for found in objections):
        return None
    return max((found for found in objections if found is not None), key=lambda found: found.depth)


def _overlap(first: Voice, second: Voice) -> bool:
    return any(entry is other for entry in first.entries for other in second.entries)


def _gap(first: Voice, second: Voice) -> list[float]:
    """Return the seconds between two single findings where one clock has both."""
    if len(first.entries) != 1 or len(second.entries) != 1:
        return []
    a, b = first.entries[0].signal.stamp, second.entries[0].signal.stamp
    if a.series == b.series and a.uptime_s is not None and b.uptime_s is not None:
        return [abs(a.uptime_s - b.uptime_s)]
    if a.at is not None and b.at is not None:
        return [abs((a.at - b.at).total_seconds())]
    return []


def _holds(link: Link, earlier: Voice, later: Voice) -> bool:
    """Return whether the timeline has `earlier` before, or as the cause of, `later`; for groups, each with each."""
    return all(_one_holds(link, a, b) for a in earlier.entries for b in later.entries)


def _one_holds(link: Link, earlier: TimelineEntry, later: TimelineEntry) -> bool:
    known = order(earlier.signal.stamp, later.signal.stamp)
    if link is Link.ORDER:
        return known is Order.BEFORE
    if earlier.role is not Role.CAUSE or later.role not in {Role.ECHO, Role.SYMPTOM}:
        return False
    return known is Order.BEFORE or (later.role is Role.ECHO and known is not Order.AFTER)


def _short(text: str) -> str:
    return re.sub(r"[^\w.-]", "?", text[:40])
