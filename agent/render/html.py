"""The report as one self-contained HTML file: no script, no request to anywhere, safe to mail and to print.

Every value goes through `safety.visible` before it is escaped (the environment's `finalize`), so a template line
cannot forget it. The content security policy allows the one style sheet in the file, by its digest, and nothing else.
"""

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from firstfault.agent.render.briefing import brief
from firstfault.agent.render.citations import place
from firstfault.agent.render.phrases import (
    VERDICTS,
    entity,
    gap,
    gate,
    gate_reasons,
    mode_note,
    moment,
    plural,
    when,
)
from firstfault.agent.render.safety import excerpt, one_line, safe_link, visible
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
    css = _css()
    return _template().render(
        report=report,
        brief=briefing,
        cited=briefing.cited,
        verdict=VERDICTS[report.verdict],
        first_row=first_entry(report),
        note=mode_note([part.policy for part in report.recommendations]),
        picture=timeline_svg(picture) if picture else None,
        css=css,
        policy=content_security_policy(css),
        **_WORDS,
    )


def content_security_policy(css: str) -> str:
    """Return the policy: nothing may be loaded, run, framed or submitted; only this style sheet applies."""
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


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
    "moment": moment,
    "when": when,
    "plural": plural,
    "one_line": one_line,
    "safe_link": safe_link,
    "numbered": numbered,
    "gap": gap,
    "gate": gate,
    "gate_reasons": gate_reasons,
    "determined": determined,
}
"""What the template may call."""


def _css() -> Markup:
    """Return the style sheet, which is our own and therefore not escaped."""
    return Markup(_text("report.css"))  # noqa: S704 - a file of this package


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=_shown)
    return environment.from_string(_text("report.html.j2"))


def _text(name: str) -> str:
    return resources.files("firstfault.agent.render").joinpath(name).read_text(encoding="utf-8")


def _shown(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
