"""The report with secrets taken out: every text in it passes the redactor, ids and digests excepted. Pure."""

from collections.abc import Callable
from typing import cast

from firstfault.agent.report.contract import Report

UNTOUCHED = frozenset(
    {
        "id",
        "sha256",
        "head_digest",
        "correlation_id",
        "schema",
        "evidence",
        "supporting",
        "contradicting",
        "failure_class",
    }
)
"""Keys whose values are ours: content addresses and names from closed lists. (`evidence` as a list of parts is walked.)"""


def redact_report(report: Report, redact: Callable[[str], str]) -> Report:
    """Return the report with every text redacted."""
    return Report.model_validate(_walk(report.model_dump(mode="json"), redact, key=""))


def _walk(value: object, redact: Callable[[str], str], key: str) -> object:
    if isinstance(value, dict):
        return {
            name: _walk(item, redact, str(name)) for name, item in cast("dict[str, object]", value).items()
        }
    if isinstance(value, list):
        return [_walk(item, redact, key) for item in cast("list[object]", value)]
    if isinstance(value, str) and key not in UNTOUCHED:
        return redact(value)
    return value
