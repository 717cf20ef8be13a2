"""The model looks further, if there is one: its reads go back to extract, its words are grounded, nothing else moves."""

from collections.abc import Sequence
from dataclasses import replace

from firstfault.agent.deliberation.deliberate import deliberate as think
from firstfault.agent.deliberation.proposals import hypothesis_from
from firstfault.agent.deliberation.quoting import harmless
from firstfault.agent.deliberation.view import Deliberation, DeliberationView
from firstfault.agent.findings import Hypothesis
from firstfault.agent.graph import codec
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.thinker import MAX_ROUNDS, JournaledModel, ask_sources, no_more_reads, view_of
from firstfault.agent.graph.workshop import Workshop
from firstfault.agent.grounding.claims import Claim, ClosedSets, Dropped
from firstfault.agent.grounding.closed import closed_sets
from firstfault.agent.grounding.ground import ground
from firstfault.agent.grounding.summary import summary_of
from firstfault.agent.model.budget import Budget
from firstfault.agent.model.port import ModelExchange, ModelPort
from firstfault.agent.report import contract
from firstfault.tools.evidence import Evidence
from firstfault.tools.redaction.excerpts import excerpts_of

MAX_DROPPED = 40
"""Dropped sentences listed in a report."""


def deliberate(workshop: Workshop, state: State) -> Change:
    """Ask the model once, within what is left of the incident's budget; without one note that none was asked."""
    if workshop.model is None:
        nothing = codec.Deliberated()
        return workshop.finish(state, "deliberate", nothing, why="no model is configured", payload={})
    concluded = workshop.load(state, "hypothesize", codec.Concluded)
    names = {entry.signal.name for entry in concluded.timeline}
    closed = closed_sets(concluded.diagnosis, concluded.hypotheses, workshop.classes, names)
    view = _checked(view_of(workshop, state, closed), closed)
    earlier = _earlier(workshop, state)
    found = think(
        view,
        JournaledModel(inner=workshop.model, workshop=workshop),
        (lambda question: ask_sources(workshop, question)) if state["rounds"] < MAX_ROUNDS else no_more_reads,
        earlier.budget or Budget(limits=workshop.model_limits),
        _Recorder(workshop, state["rounds"]).record,
    )
    return _finished(workshop, state, earlier, _outcome(workshop, view, closed, found))


def _checked(view: DeliberationView, closed: ClosedSets) -> DeliberationView:
    """Return the view with the check that lets a model reword; what counts is checked again at the end."""

    def against(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> Sequence[Dropped]:
        return ground(claims, _redacted(view, evidence), view.timeline, view.coverage, closed).dropped

    return replace(view, check=against)


def _earlier(workshop: Workshop, state: State) -> codec.Deliberated:
    if "deliberate" not in state["stages"]:
        return codec.Deliberated()
    return workshop.load(state, "deliberate", codec.Deliberated)


def _outcome(
    workshop: Workshop, view: DeliberationView, closed: ClosedSets, found: Deliberation
) -> codec.Deliberated:
    """Return what is kept of a deliberation: documents in the store, claims grounded, proposals worded by code."""
    stored = workshop.keep((*found.documents, *found.results))
    claims = ground(found.claims, _redacted(view, found.evidence), view.timeline, view.coverage, closed)
    hypotheses, unsaid = _ledger(view, closed, found)
    cited = {item for claim in claims.kept for item in claim.evidence}
    summary = closed.diagnosis.summary if closed.diagnosis is not None else ""
    return codec.Deliberated(
        summary=summary_of(summary, claims.kept) if claims.kept else None,
        dropped=_dropped((*claims.dropped, *found.rejected, *unsaid)),
        usage=_usage(workshop.model, found.budget),
        documents=stored[: len(found.documents)],
        coverage=found.coverage,
        gaps=found.gaps,
        evidence=tuple(item for item in found.evidence if item.id in cited),
        signals=found.signals,
        hypotheses=hypotheses,
        budget=found.budget,
        stop=found.stop.value,
        wants_more=bool(found.documents),
    )


def _ledger(
    view: DeliberationView, closed: ClosedSets, found: Deliberation
) -> tuple[tuple[Hypothesis, ...], tuple[Dropped, ...]]:
    hypotheses: list[Hypothesis] = []
    unsaid: list[Dropped] = []
    for proposal in found.proposals:
        evidence = _redacted(view, proposal.evidence)
        said = ground([proposal.said], evidence, view.timeline, view.coverage, closed)
        mechanism = said.kept[0].text if said.kept else None
        hypotheses.append(hypothesis_from(proposal, mechanism))
        unsaid += said.dropped
    return tuple(hypotheses), tuple(unsaid)


def _finished(
    workshop: Workshop, state: State, earlier: codec.Deliberated, latest: codec.Deliberated
) -> Change:
    """Store the latest outcome with what earlier rounds had read, and count the round."""
    whole = replace(
        latest,
        documents=(*earlier.documents, *latest.documents),
        coverage=(*earlier.coverage, *latest.coverage),
        gaps=(*earlier.gaps, *latest.gaps),
        dropped=(*earlier.dropped, *latest.dropped)[:MAX_DROPPED],
    )
    change = workshop.finish(
        state,
        "deliberate",
        whole,
        why=f"{latest.stop}: {len(latest.documents)} documents read, {len(latest.dropped)} sentences dropped",
        payload={
            "stop": latest.stop,
            "summary": latest.summary or "",
            "dropped": [f"{part.why}: {part.text}" for part in latest.dropped],
            "documents": [f"{kept.description.path} {kept.sha256}" for kept in latest.documents],
        },
    )
    return {**change, "rounds": state["rounds"] + 1}


def _redacted(view: DeliberationView, evidence: Sequence[Evidence]) -> list[Evidence]:
    excerpts = excerpts_of(view.documents, view.redact)
    return [replace(item, excerpt=excerpts.shown(item)) for item in evidence]


def _dropped(dropped: Sequence[Dropped]) -> tuple[contract.DroppedClaimPart, ...]:
    return tuple(
        contract.DroppedClaimPart(text=harmless(item.text, 300), why=f"{item.why}: {item.because}")
        for item in dropped[:MAX_DROPPED]
    )


def _usage(model: ModelPort | None, budget: Budget) -> contract.ModelPart:
    spent = budget.spent
    return contract.ModelPart(
        name=model.name if model is not None else "",
        calls=spent.calls,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        seconds=round(spent.seconds, 3),
        cost_usd=None if spent.cost_usd is None else round(spent.cost_usd, 6),
    )


class _Recorder:
    """Writes each exchange into the audit, under a key that a repeated run finds again."""

    def __init__(self, workshop: Workshop, round_number: int) -> None:
        self._workshop = workshop
        self._round = round_number
        self._count = 0

    def record(self, exchange: ModelExchange) -> None:
        usage, reply = exchange.usage, exchange.reply
        self._workshop.note(
            "model.exchange",
            f"{self._round}.{self._count}",
            why=exchange.error or f"{exchange.request.step} answered",
            payload={
                "model": exchange.model,
                "step": exchange.request.step,
                "prompt": exchange.request.prompt_digest,
                "request": exchange.request.messages[-1].text,
                "response": reply.text if reply is not None else "",
                "error": exchange.error or "",
                "usage": f"{usage.attempts} calls, {usage.prompt_tokens} + {usage.completion_tokens} tokens",
            },
        )
        self._count += 1
