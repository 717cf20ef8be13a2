"""The evidence of a report in the order a reader needs it, with short numbers to point at."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from firstfault.agent.render.safety import one_line
from firstfault.agent.report.contract import EvidencePart, Report

ROLES = {"cause": 0, "echo": 1, "symptom": 2}
"""The roles that belong to the story, in the order it is told; context does not."""


@dataclass(frozen=True, kw_only=True)
class Citations:
    """Every excerpt of a report, most important first; number 1 is the first fault's own line."""

    ordered: tuple[EvidencePart, ...]

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {part.id: number for number, part in enumerate(self.ordered, start=1)}

    def number(self, evidence_id: str) -> int | None:
        """Return the number of an excerpt, None when the report does not hold it."""
        return self._numbers.get(evidence_id)

    def numbers(self, evidence_ids: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of several excerpts, ascending, without those the report does not hold."""
        return tuple(sorted({n for n in map(self.number, evidence_ids) if n is not None}))

    def get(self, evidence_id: str) -> EvidencePart | None:
        """Return an excerpt by its id."""
        number = self.number(evidence_id)
        return None if number is None else self.ordered[number - 1]

    def first_of(self, evidence_ids: Sequence[str]) -> EvidencePart | None:
        """Return the first of several excerpts that the report holds."""
        return next((part for part in map(self.get, evidence_ids) if part is not None), None)


def citations(report: Report) -> Citations:
    """Return the excerpts of a report in reading order: the ones that carry the diagnosis, then all others."""
    leading: Iterable[str] = next((h.supporting for h in report.hypotheses if h.verdict == "supported"), ())
    groups: list[Iterable[str]] = [
        carrying(report),
        leading,
        *(entry.evidence for entry in report.timeline if entry.role in ROLES),
        *(hypothesis.contradicting for hypothesis in report.hypotheses),
    ]
    held = {part.id: part for part in report.evidence}
    wanted = dict.fromkeys(evidence_id for group in groups for evidence_id in group if evidence_id in held)
    rest = [evidence_id for evidence_id in held if evidence_id not in wanted]
    return Citations(ordered=tuple(held[evidence_id] for evidence_id in (*wanted, *rest)))


def carrying(report: Report) -> tuple[str, ...]:
    """Return the ids that carry the diagnosis: the first fault, then one for each thing that followed."""
    first = report.first_fault.evidence[:1] if report.first_fault else []
    kinds: dict[tuple[int, str], str] = {}
    for entry in report.timeline:
        if entry.role in ROLES and entry.evidence:
            kinds.setdefault((ROLES[entry.role], entry.signal), entry.evidence[0])
    followed = [kinds[kind] for kind in sorted(kinds, key=lambda kind: kind[0])]
    return tuple(dict.fromkeys((*first, *followed, *report.diagnosis.evidence)))


def place(part: EvidencePart) -> str:
    """Return where a human finds an excerpt: `raw/kernel.log:3` or `raw/events.json:6-9`."""
    lines = str(part.line_start) if part.line_end == part.line_start else f"{part.line_start}-{part.line_end}"
    return f"{one_line(part.path)}:{lines}"


def ranges(numbers: Sequence[int], limit: int = 8) -> str:
    """Return numbers as a reader scans them: `1, 3-5, 9`; after `limit` runs the rest is only counted."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs[:limit]]
    left = sum(len(run) for run in runs[limit:])
    return ", ".join(shown) + (f" and {left} more" if left else "")
