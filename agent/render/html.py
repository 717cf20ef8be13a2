"""The report as one self-contained HTML file (`page` tells how it is kept safe)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from firstfault.agent.render.briefing import brief
from firstfault.agent.render.citations import place
from firstfault.agent.render.page import html_page, package_text
from firstfault.agent.render.phrases import (
    FIRST_LINES,
    VERDICTS,
    entity,
    gap,
    gate,
    gate_reasons,
    is_named,
    located,
    mode_note,
    moment,
    plural,
    when,
)
from firstfault.agent.render.safety import excerpt, one_line, safe_link
from firstfault.agent.render.sequence import first_entry
from firstfault.agent.render.timeline.layout import timeline_picture
from firstfault.agent.render.timeline.svg import timeline_svg
from firstfault.agent.report.contract import EvidencePart, PolicyPart, Report

MAX_LINES = 60
"""Lines of one excerpt that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedLine:
    """One line of an excerpt with its number in the file; the number is empty for a note that lines were left out."""

    number: str
    text: str


def render(report: Report) -> str:
    """Return the page as text, to be written as UTF-8."""
    picture = timeline_picture(report)
    briefing = brief(report)
    verdict = VERDICTS[report.verdict]
    return html_page(
        package_text("report.html.j2"),
        f"{verdict}: {one_line(briefing.headline, 120)}",
        {
            **_WORDS,
            "report": report,
            "brief": briefing,
            "cited": briefing.cited,
            "verdict": verdict,
            "first_line": FIRST_LINES[report.verdict],
            "first_row": first_entry(report),
            "note": mode_note([part.policy for part in report.recommendations]),
            "picture": timeline_svg(picture) if picture else None,
        },
    )


def numbered(part: EvidencePart) -> Iterator[NumberedLine]:
    """Yield the lines of an excerpt as they are shown, and last how many were left out."""
    lines = part.excerpt.split("\n")
    for offset, line in enumerate(lines[:MAX_LINES]):
        yield NumberedLine(number=str(part.line_start + offset), text=excerpt(line))
    if len(lines) > MAX_LINES:
        yield NumberedLine(number="", text=f"… {len(lines) - MAX_LINES:,} more lines in the stored evidence")


def determined(part: PolicyPart) -> list[tuple[str, str]]:
    """Return the determining policies with their reasons; a policy without a reason has an empty one."""
    reasons = part.reasons + [""] * len(part.determining)
    return list(zip(part.determining, reasons, strict=False))


_WORDS: Mapping[str, Callable[..., object]] = {
    "place": place,
    "entity": entity,
    "located": located,
    "is_named": is_named,
    "moment": moment,
    "when": when,
    "plural": plural,
    "safe_link": safe_link,
    "numbered": numbered,
    "gap": gap,
    "gate": gate,
    "gate_reasons": gate_reasons,
    "determined": determined,
}
"""What the template may call."""
