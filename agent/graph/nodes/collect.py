"""Read the sources and preserve what they gave: first what disappears soonest, then the rest."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from firstfault.agent.graph import codec
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop
from firstfault.tools.sources import Answer, Question, Source
from firstfault.tools.times import Window

MAX_PARALLEL = 8
"""Sources read at once; each has its own limits on top."""


def preserve(workshop: Workshop, state: State) -> Change:
    """Store volatile evidence (events, pod statuses, node conditions) before anything is analysed.

    What was kept once is not asked for again: after a crash it may be gone.
    """
    known = workshop.finished(state, "preserve")
    return known or _gather(workshop, state, "preserve", Question(volatile_first=True), seen=frozenset())


def collect(workshop: Workshop, state: State) -> Change:
    """Read everything else the sources have, in parallel."""
    kept = workshop.load(state, "preserve", codec.Collected).documents
    seen = frozenset((each.description.path, each.sha256) for each in kept)
    return _gather(workshop, state, "collect", Question(), seen=seen)


def _gather(
    workshop: Workshop,
    state: State,
    stage: str,
    question: Question,
    seen: frozenset[tuple[str, str]],
) -> Change:
    answers = _ask(workshop, question)
    found = [d for answer in answers for d in answer.documents if (d.path, d.body.sha256) not in seen]
    collected = codec.Collected(
        documents=workshop.keep(found),
        coverage=tuple(c for answer in answers for c in answer.coverage),
        gaps=tuple(g for answer in answers for g in answer.gaps),
    )
    payload = {
        "documents": [f"{each.description.path} {each.sha256}" for each in collected.documents],
        "gaps": len(collected.gaps),
    }
    return workshop.finish(
        state,
        stage,
        collected,
        why=f"{len(found)} documents from {len(answers)} sources",
        payload=payload,
    )


def _ask(workshop: Workshop, question: Question) -> Sequence[Answer]:
    incident = workshop.incident
    window = Window(start=incident.window_start, end=incident.window_end)

    def ask(source: Source) -> Answer:
        return source.read(question, window, incident.as_of)

    if len(workshop.sources) == 1:
        return [ask(workshop.sources[0])]
    with ThreadPoolExecutor(max_workers=MAX_PARALLEL) as pool:
        return list(pool.map(ask, workshop.sources))
