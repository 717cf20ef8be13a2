"""The first screen as data: what an on-call must know before scrolling, chosen once for every rendering."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from firstfault.agent.render.citations import Citations, carrying, citations
from firstfault.agent.render.narrative import Sentence, headline, sentences
from firstfault.agent.render.phrases import counted, identity, is_named, located, when
from firstfault.agent.render.safety import one_line
from firstfault.agent.render.sequence import Step, steps
from firstfault.agent.report.contract import EvidencePart, HypothesisPart, Report, TimelinePart

KEY_EVIDENCE = 5
"""Excerpts on the first screen: what can be checked in 30 seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    """What the first screen says, in words, with the report's own parts where they are shown as they are."""

    report: Report
    cited: Citations
    headline: str
    said: tuple[Sentence, ...]
    first_what: str
    first_when: str
    first_where: str
    steps: tuple[Step, ...]
    owner: str
    affected: str
    key_evidence: tuple[EvidencePart, ...]
    supported: tuple[HypothesisPart, ...]
    ruled_out: tuple[HypothesisPart, ...]
    untested: tuple[HypothesisPart, ...]


def brief(report: Report) -> Briefing:
    """Return the first screen of a report."""
    cited = citations(report)
    first = report.first_fault
    return Briefing(
        report=report,
        cited=cited,
        headline=headline(report.diagnosis.summary),
        said=sentences(report.diagnosis.summary),
        first_what=_first_what(report),
        first_when=when(first, first.line) if first else "no line can be called the first fault",
        first_where=f"{first.path}:{first.line}" if first else "",
        steps=steps(report, cited),
        owner=_owner(report),
        affected=_affected(report),
        key_evidence=_key_evidence(report, cited),
        supported=_of(report.hypotheses, "supported"),
        ruled_out=_most_telling(_of(report.hypotheses, "ruled_out")),
        untested=_of(report.hypotheses, "untested"),
    )


def _first_what(report: Report) -> str:
    first = report.first_fault
    if first is None:
        return "not placed"
    signal = one_line(first.signal, 80)
    return f"{located(first.entity)}  {signal}" if is_named(first.entity) else signal


def _owner(report: Report) -> str:
    words = {
        "shared": "shared: tell both the platform and the application side",
        "unknown": "not decided: tell both the platform and the application side",
    }
    return words.get(report.diagnosis.owner, report.diagnosis.owner)


def _affected(report: Report) -> str:
    involved = [entry for entry in report.timeline if entry.role != "context"]
    named = [entry.entity for entry in involved if is_named(entry.entity)]
    return f"seen on {counted(named, _unlisted(involved))}" if named else "not known from what was read"


def _unlisted(involved: Sequence[TimelinePart]) -> dict[str, int]:
    """Return how many more things of each kind there are: the most that any signal has, for they are the same things."""
    listed: dict[str, set[tuple[str, str]]] = {}
    heard: dict[tuple[str, str], set[tuple[str, str]]] = {}
    others: Counter[tuple[str, str]] = Counter()
    for entry in involved:
        kind, name = entry.entity.kind, identity(entry.entity)
        listed.setdefault(kind, set()).add(name)
        heard.setdefault((kind, entry.signal), set()).add(name)
        others[kind, entry.signal] += entry.others
    most = {
        kind: max(len(heard[each]) + others[each] for each in heard if each[0] == kind) for kind in listed
    }
    return {kind: most[kind] - len(names) for kind, names in listed.items() if most[kind] > len(names)}


def _of(hypotheses: Sequence[HypothesisPart], verdict: str) -> tuple[HypothesisPart, ...]:
    return tuple(hypothesis for hypothesis in hypotheses if hypothesis.verdict == verdict)


def _most_telling(ruled_out: Sequence[HypothesisPart]) -> tuple[HypothesisPart, ...]:
    """Return what was ruled out by a line first, then what was ruled out by its verified absence."""
    return tuple(sorted(ruled_out, key=lambda hypothesis: not hypothesis.contradicting))


def _key_evidence(report: Report, cited: Citations) -> tuple[EvidencePart, ...]:
    wanted = tuple(part for part in map(cited.get, carrying(report)) if part is not None)
    return (wanted or cited.ordered)[:KEY_EVIDENCE]
