"""What a model points at, checked: quote, entity and time must be those of the line; nothing here moves a verdict. Pure."""

from collections.abc import Sequence

from firstfault.agent.deliberation.answer import SaidClaim, SaidHypothesis, SaidQuote, SaidSignal
from firstfault.agent.deliberation.desk import Desk
from firstfault.agent.deliberation.view import Proposal
from firstfault.agent.findings import Hypothesis, Role, Standing, TimelineEntry
from firstfault.agent.grounding.claims import Absent, Claim, Dropped, Quote, Why
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Document, Evidence
from firstfault.tools.kinds import FAMILY_OF_KIND
from firstfault.tools.signals import Signal
from firstfault.tools.stamps import stamper

UNKNOWN_CLASS = "unknown"
PREFIX = "proposed."
"""Names of signals that a model pointed at: no catalogue has it, no class looks for it."""
MIN_QUOTE_CHARS = 6


def claim_of(desk: Desk, said: SaidClaim) -> Claim:
    """Return a said claim with real evidence ids; a name that is not on the desk stays and will not pass."""
    quotes = tuple(_quote(desk, quote) for quote in said.quotes)
    absent = (
        None if said.absent is None else Absent(signal=said.absent.signal, path=_path(desk, said.absent.path))
    )
    return Claim(
        text=said.text.strip(), evidence=_ids(quotes), quotes=quotes, about=said.about, absent=absent
    )


def check_signal(desk: Desk, said: SaidSignal) -> TimelineEntry | Dropped:
    """Return the line as a context entry, or why it is not one."""
    evidence = desk.evidence(said.evidence)
    if evidence is None:
        return _dropped(said.quote, Why.NO_EVIDENCE, "it points at evidence that does not exist")
    against = _against_quote(desk, said.quote, evidence)
    if against is not None:
        return against
    document = next(
        (d for d in desk.view.documents if d.path == evidence.path and d.body.sha256 == evidence.sha256), None
    )
    entity = desk.entities.get(said.entity.strip())
    if document is None or entity is None or not _is_about(document, evidence, entity):
        return _dropped(said.quote, Why.NAME, "the entity is not in the line or its document")
    if said.time is not None and said.time.strip() not in evidence.excerpt:
        return _dropped(said.quote, Why.TIME, "the time is not in the line")
    if _is_explained(desk.view.timeline, evidence):
        return _dropped(said.quote, Why.REPEATED, "a catalogue row matches this line already")
    signal = Signal(
        name=f"{PREFIX}{said.nature}",
        entity=entity,
        stamp=stamper(document, desk.view.context).stamp(evidence.line_start, evidence.excerpt),
        evidence=evidence,
        family=FAMILY_OF_KIND[document.kind],
    )
    because = "the model points at this line; no catalogue row matches it"
    return TimelineEntry(signal=signal, role=Role.CONTEXT, because=because)


def check_hypothesis(desk: Desk, said: SaidHypothesis, classes: frozenset[str]) -> Proposal | Dropped:
    """Return the proposal, or why it is not one. A listed class needs none: code has tested it."""
    if said.failure_class != UNKNOWN_CLASS:
        known = said.failure_class in classes
        why = "code has tested this class; words do not move it" if known else "there is no such class"
        return _dropped(said.description, Why.REPEATED if known else Why.NAME, why)
    evidence = [desk.evidence(quote.evidence) for quote in said.quotes]
    found = [item for item in evidence if item is not None]
    if not found or len(found) != len(evidence):
        return _dropped(
            said.description, Why.NO_EVIDENCE, "it cites no evidence, or evidence that does not exist"
        )
    for quote, item in zip(said.quotes, found, strict=True):
        against = _against_quote(desk, quote.quote, item)
        if against is not None:
            return against
    quotes = tuple(_quote(desk, quote) for quote in said.quotes)
    return Proposal(
        said=Claim(text=said.description.strip(), evidence=_ids(quotes), quotes=quotes), evidence=tuple(found)
    )


def hypothesis_from(proposal: Proposal, mechanism: str | None) -> Hypothesis:
    """Return the untested hypothesis for the ledger; `mechanism` is its description when that was grounded."""
    lines = "this line" if len(proposal.evidence) == 1 else f"these {len(proposal.evidence)} lines"
    return Hypothesis(
        failure_class=UNKNOWN_CLASS,
        standing=Standing.UNTESTED,
        because=f"the model points at {lines}, which no class describes; nothing has tested it",
        mechanism=mechanism,
        supporting=proposal.evidence,
    )


def _quote(desk: Desk, said: SaidQuote) -> Quote:
    evidence = desk.evidence(said.evidence)
    return Quote(evidence=said.evidence if evidence is None else evidence.id, text=said.quote)


def _ids(quotes: Sequence[Quote]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(quote.evidence for quote in quotes))


def _path(desk: Desk, path: str) -> str:
    found = desk.document(path)
    return path if found is None else found.path


def _against_quote(desk: Desk, quote: str, evidence: Evidence) -> Dropped | None:
    if len(quote.strip()) >= MIN_QUOTE_CHARS and quote in desk.excerpts.shown(evidence):
        return None
    return _dropped(quote, Why.QUOTE, "the quote is not in the evidence")


def _is_about(document: Document, evidence: Evidence, entity: EntityRef) -> bool:
    if entity.name in evidence.excerpt or entity in (document.entity, evidence.entity):
        return True
    return entity.name in document.labels.values()


def _is_explained(timeline: Sequence[TimelineEntry], evidence: Evidence) -> bool:
    return any(
        item.path == evidence.path and item.line_start <= evidence.line_start <= item.line_end
        for entry in timeline
        for item in entry.signal.all_evidence
    )


def _dropped(text: str, why: Why, because: str) -> Dropped:
    return Dropped(text=text, why=why, because=because)
