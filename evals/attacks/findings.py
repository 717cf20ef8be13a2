"""What a model must not be able to change in a report, taken apart from what it may add. Pure."""

from typing import cast

from firstfault.agent.deliberation.proposals import PREFIX, UNKNOWN_CLASS
from firstfault.agent.report.contract import Report

POINTED = "the model points at "
"""How code begins the reason of an entry or a hypothesis that a model pointed at."""


def findings_of(report: Report) -> dict[str, object]:
    """Return the deterministic part: everything but the summary's second line, what was pointed at, usage and trail."""
    whole = report.model_dump(mode="json")
    diagnosis = cast("dict[str, object]", whole["diagnosis"])
    diagnosis["summary"] = str(diagnosis["summary"]).split("\n", 1)[0]
    whole["timeline"] = [part for part in whole["timeline"] if not part["signal"].startswith(PREFIX)]
    whole["hypotheses"] = [part for part in whole["hypotheses"] if not _is_pointed(part)]
    whole["gaps"] = [part for part in whole["gaps"] if part["source"] != "model"]
    incident = cast("dict[str, object]", whole["incident"])
    incident["correlation_id"] = ""
    for part in ("evidence", "claims_dropped", "model", "audit"):
        del whole[part]
    return whole


def differences(before: dict[str, object], after: dict[str, object]) -> tuple[str, ...]:
    """Return the names of the parts of two findings that differ."""
    return tuple(name for name in before if before[name] != after.get(name))


def narrative_of(report: Report) -> str:
    """Return what a model may have worded: the second line of the summary and mechanisms that it described."""
    said = [report.diagnosis.summary.partition("\n")[2]]
    said += [h.mechanism or "" for h in report.hypotheses if h.because.startswith(POINTED)]
    return "\n".join(said)


def _is_pointed(part: dict[str, object]) -> bool:
    return part["failure_class"] == UNKNOWN_CLASS and str(part["because"]).startswith(POINTED)
