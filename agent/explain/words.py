"""An explanation in plain lines for a terminal. Text from outside is made visible first."""

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence

from firstfault.agent.classes.definitions import Need
from firstfault.agent.explain.explanation import Explanation, Place
from firstfault.agent.explain.probes import Weighed
from firstfault.agent.hypotheses.proofs import proving
from firstfault.agent.hypotheses.ranking import Ranked
from firstfault.agent.hypotheses.trials import because
from firstfault.agent.hypotheses.verdicts import NEEDED_FAMILIES
from firstfault.agent.hypotheses.wording import fill
from firstfault.agent.render.safety import one_line
from firstfault.tools.evidence import Evidence
from firstfault.tools.signals import Signal

WIDTH = 110
MOST_LINES = 6
"""Pieces of evidence shown for one criterion; the rest is counted."""
_EXCERPT = 140
_BLANK = re.compile(r"\{\w+\}")

Shown = Callable[[Evidence], str]
"""The excerpt of evidence as it may be printed: redacted."""


def lines_of(explanation: Explanation, shown: Shown) -> Iterable[str]:
    """Yield the lines of the explanation. shown: gives the excerpt of a piece of evidence, redacted."""
    definition = explanation.definition
    yield from _wrapped(explanation.answer, "")
    yield ""
    yield f"What {definition.failure_class} looks for ({_title(explanation)})"
    for each in explanation.criteria:
        yield from _criterion(each, shown)
    yield from _against(explanation, shown)
    for signal, echo in explanation.echoed[:MOST_LINES]:
        yield from _wrapped(f"explained away: {_named(signal)}: {echo.because}", "  ~ ")
        yield from _evidence([signal], shown)
    yield from _needs(explanation.needs)
    yield from _ranks(explanation)
    yield from _verdict(explanation)


def _title(explanation: Explanation) -> str:
    """Return what is wrong in a few words; names that only evidence could fill in are left open."""
    title = explanation.definition.title
    if explanation.place is not None:
        return one_line(
            fill(title, explanation.place.ranked.trial.signals, layer=explanation.definition.layer)
        )
    return _BLANK.sub("…", title)


def _criterion(each: Weighed, shown: Shown) -> Iterable[str]:
    criterion = each.criterion
    head = f"{criterion.strength}, {criterion.id}"
    if each.signals is not None:
        yield from _wrapped(f"{head}: {one_line(because(criterion, each.signals))}", "  + ")
        yield from _evidence(each.signals, shown)
        return
    yield from _wrapped(f"{head}: {one_line(each.why_not)}", "  - ")
    yield from _near(each, shown)


def _near(each: Weighed, shown: Shown) -> Iterable[str]:
    for signal, reason in each.near[:MOST_LINES]:
        yield from _wrapped(f"{_named(signal)} does not count: {one_line(reason)}", "      ")
        yield from _evidence([signal], shown)
    yield from _more(len(each.near), "more that do not count")


def _against(explanation: Explanation, shown: Shown) -> Iterable[str]:
    if not explanation.contradictions and not explanation.absences:
        return
    yield ""
    yield "What would speak against it"
    for each in explanation.contradictions:
        if each.signals is None:
            yield from _wrapped(f"{each.criterion.id}: {one_line(each.why_not)}", "  - ")
            continue
        reason = one_line(because(each.criterion, each.signals))
        yield from _wrapped(f"{each.criterion.id}: {reason}", "  ! ")
        yield from _evidence(each.signals, shown)
    for absence, state in explanation.absences:
        yield from _wrapped(f"{absence.id}, {one_line(absence.because)}: {one_line(state)}", "  - ")


def _needs(needs: Sequence[Need]) -> Iterable[str]:
    if not needs:
        return
    yield ""
    yield "What was never read and would tell"
    for need in needs:
        command = f" (`{need.command}`)" if need.command else ""
        yield from _wrapped(f"{need.kind}: {need.would_tell}{command}", "  ? ")


def _ranks(explanation: Explanation) -> Iterable[str]:
    best = explanation.conclusion.best
    place = explanation.place
    if best is None or place is None:
        return
    yield ""
    yield f"Rank {place.number} of {place.total}, compared from the top"
    yield from _ranked(place, best)


def _ranked(place: Place, best: Ranked) -> Iterable[str]:
    is_best = place.ranked.trial.name == best.trial.name
    for own, other in zip(place.ranked.shown, best.shown, strict=True):
        name, _, value = own.partition(": ")
        beside = "" if is_best else f"   ({best.trial.name}: {other.partition(': ')[2]})"
        yield from _wrapped(f"{name}: {one_line(value)}{beside}", "    ")


def _verdict(explanation: Explanation) -> Iterable[str]:
    if explanation.place is None:
        return
    yield ""
    yield f"Independent witnesses: {explanation.witnesses} ({NEEDED_FAMILIES} are needed for CONFIRMED)"
    proof = proving(explanation.place.ranked.trial)
    if proof is not None:
        yield from _wrapped(f"No second one is needed: {proof.because}", "")
    if explanation.rivals:
        yield from _wrapped(f"Still open beside it: {', '.join(explanation.rivals)}", "")
    if explanation.is_diagnosis and explanation.conclusion.change is not None:
        change = explanation.conclusion.change
        yield from _wrapped(f"Blamed change: {_where(change.evidence)}", "")


def _evidence(signals: Sequence[Signal], shown: Shown) -> Iterable[str]:
    for signal in signals[:MOST_LINES]:
        times = f" ({signal.count} times)" if signal.count > 1 else ""
        yield f"      {_where(signal.evidence)}  {_named(signal)}{times}"
        yield f"        {one_line(shown(signal.evidence), _EXCERPT)}"
    yield from _more(len(signals), "more signals")


def _more(count: int, what: str) -> Iterable[str]:
    if count > MOST_LINES:
        yield f"      {count - MOST_LINES} {what}"


def _named(signal: Signal) -> str:
    return f"{one_line(signal.name)} on {one_line(signal.entity.name) or 'nothing named'}"


def _where(evidence: Evidence) -> str:
    return f"{one_line(evidence.path)}:{evidence.line_start}"


def _wrapped(text: str, lead: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )
