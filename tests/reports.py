"""Hand-made reports for tests of what reads reports: scoring, rendering, shadow."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from firstfault.agent.report import contract
from firstfault.tools.evidence import evidence_id

SHA = "7f3c" * 16


def entity(kind: str, name: str) -> contract.EntityPart:
    """Return a named thing."""
    return contract.EntityPart(kind=kind, name=name)


def evidence(
    path: str,
    line: int,
    excerpt: str,
    *,
    line_end: int | None = None,
    about: contract.EntityPart | None = None,
    at: datetime | None = None,
    link: str | None = None,
) -> contract.EvidencePart:
    """Return one excerpt."""
    end = line_end or line
    return contract.EvidencePart(
        id=evidence_id(SHA, path, line, end, excerpt),
        source="recording",
        query=path,
        entity=about,
        at=at,
        window=None,
        excerpt=excerpt,
        path=path,
        line_start=line,
        line_end=end,
        link=link,
        sha256=SHA,
        fetched_at=datetime(2026, 4, 1, tzinfo=UTC),
    )


def policy(
    decision: str = "DENY",
    would_be: str = "NEEDS_APPROVAL",
    determining: tuple[str, ...] = ("mode.shadow",),
    reasons: tuple[str, ...] = ("this cell is in shadow mode",),
    mode: str = "shadow",
) -> contract.PolicyPart:
    """Return what the gate said."""
    return contract.PolicyPart.model_validate(
        {
            "decision": decision,
            "would_be": would_be,
            "mode": mode,
            "determining": list(determining),
            "reasons": list(reasons),
        }
    )


ADVICE = policy("ALLOW", "ALLOW", ("advice.executes_nothing",), ("advice executes nothing",))


def recommendation(
    action: str,
    target: contract.EntityPart | None = None,
    *,
    why: str = "because",
    gate: contract.PolicyPart | None = None,
    reversible: bool = True,
    cited: tuple[str, ...] = (),
) -> contract.RecommendationPart:
    """Return one recommended action."""
    aimed = target or entity("node", "node-1")
    return contract.RecommendationPart(
        action=action,
        target=aimed
        if isinstance(aimed, contract.TargetPart)
        else contract.TargetPart(kind=aimed.kind, name=aimed.name, node=aimed.node),
        why=why,
        reversible=reversible,
        evidence=list(cited),
        policy=gate or policy(),
    )


def entry(
    signal: str,
    about: contract.EntityPart,
    cited: contract.EvidencePart,
    *,
    role: str = "symptom",
    because: str = "",
    at: datetime | None = None,
    uptime_s: float | None = None,
    uncertainty_s: float | None = None,
    raw_time: str = "",
    count: int = 1,
) -> contract.TimelinePart:
    """Return one signal of a timeline; the clock follows from which time is given."""
    clock = "utc" if at else "uptime" if uptime_s is not None else "position"
    return contract.TimelinePart.model_validate(
        {
            "at": at,
            "uncertainty_s": uncertainty_s,
            "clock": clock,
            "raw_time": raw_time,
            "uptime_s": uptime_s,
            "entity": about,
            "signal": signal,
            "count": count,
            "role": role,
            "because": because,
            "evidence": [cited.id],
        }
    )


def report(**parts: Any) -> contract.Report:  # noqa: ANN401 - any field of the report may be given
    """Return a small valid report (one lost GPU), with whole fields replaced by `parts`."""
    return contract.Report.model_validate({**_SMALL, **parts})


def diagnosis(failure_class: str = "gpu.fell_off_bus", **parts: object) -> dict[str, object]:
    """Return a diagnosis part as a mapping, with the layer taken from the class."""
    return {
        "failure_class": failure_class,
        "mechanism": None,
        "layer": failure_class.partition(".")[0],
        "owner": "platform",
        "culprit": {"kind": "gpu", "name": "0000:91:00"},
        "caused_by_change": None,
        "summary": "One GPU fell off the PCIe bus.",
        "evidence": [],
        **parts,
    }


def first_fault(path: str = "raw/kernel.log", line: int = 3, **parts: object) -> dict[str, object]:
    """Return a first fault as a mapping."""
    return {
        "at": None,
        "clock": "uptime",
        "raw_time": "[6781741.548779]",
        "uncertainty_s": None,
        "entity": {"kind": "gpu", "name": "0000:91:00"},
        "signal": "xid.79",
        "evidence": [],
        "path": path,
        "line": line,
        **parts,
    }


_SMALL: Mapping[str, object] = {
    "incident": {
        "id": "gpu-079",
        "question": "Three NVSwitches on one node report fatal errors and a GPU pod cannot start there.",
        "opened_at": None,
        "window": {"start": None, "end": None},
        "correlation_id": "corr-1",
    },
    "verdict": "LIKELY",
    "diagnosis": diagnosis(),
    "first_fault": first_fault(),
    "timeline": [],
    "common_causes": [],
    "hypotheses": [],
    "recommendations": [],
    "do_not": [],
    "similar_incidents": [],
    "gaps": [],
    "evidence": [],
    "claims_dropped": [],
    "model": None,
    "audit": {"events": 31, "head_digest": SHA},
}
