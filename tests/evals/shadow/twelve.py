"""Twelve incidents whose scorecard can be added up by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from firstfault.agent.report.contract import Report
from firstfault.evals.shadow.history import HumanAction, KnownCause, PastIncident, Thing
from firstfault.evals.shadow.scores import ShadowScore, score_missing, score_shadow
from tests import reports

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
OFFSET_S, SECONDS = 900, 2.0
NODE = Thing(kind="node", name="node-1")
LOST = "gpu.fell_off_bus"
STOPPED = reports.policy("DENY", "DENY", ("mode.shadow", "blast.share"))


def human(action: str, alert_at: datetime, after_s: float, *, undone: bool = False) -> HumanAction:
    """Return one action of the person on call."""
    at = alert_at + timedelta(seconds=after_s)
    back = at + timedelta(minutes=10) if undone else None
    return HumanAction(at=at, actor="ann", action=action, target=NODE, source="audit", undone_at=back)


def reported(
    failure_class: str,
    verdict: str,
    *actions: str,
    gate: Any = None,  # noqa: ANN401 - a policy part
) -> Report:
    """Return a report that recommends `actions` on the node."""
    wanted = [
        reports.recommendation(action, reports.entity("node", "node-1"), gate=gate) for action in actions
    ]
    return reports.report(
        verdict=verdict,
        diagnosis=reports.diagnosis(failure_class, owner="platform"),
        recommendations=wanted,
    )


def cause(failure_class: str, **parts: object) -> KnownCause:
    """Return a known cause."""
    return KnownCause.model_validate({"failure_class": failure_class, **parts})


def _rows() -> Sequence[tuple[KnownCause | None, Sequence[tuple[str, float, bool]] | None, Report | None]]:
    """Return cause, what people did (action, seconds after the alert, undone), and the report."""
    full = cause(
        LOST,
        owner="platform",
        culprit={"kind": "gpu", "name": "0000:91:00"},
        first_fault={"path": "raw/kernel.log", "line": 3},
    )
    cordon = ("cordon_node", 1800.0, False)
    return (
        (full, [cordon], reported(LOST, "LIKELY", "cordon_node")),
        (
            cause(LOST),
            [("drain_node", 3600.0, False)],
            reported(LOST, "CONFIRMED", "cordon_node", "drain_node"),
        ),
        (cause(LOST, owner="shared"), [cordon], reported("gpu.thermal", "LIKELY", "cordon_node")),
        (cause(LOST), [cordon], reported("unknown", "INCONCLUSIVE")),
        (
            cause("network.link_down", actions={"must_not": ["cordon_node"]}),
            [],
            reported(LOST, "CONFIRMED", "cordon_node"),
        ),
        (None, [cordon], reported(LOST, "LIKELY", "cordon_node")),
        (cause("none.healthy"), [], reported("none.healthy", "NO_FAULT")),
        (None, [], reported(LOST, "LIKELY", "cordon_node", gate=STOPPED)),
        (cause(LOST), [("cordon_node", 1800.0, True)], reported(LOST, "LIKELY", "cordon_node")),
        (cause(LOST, actions={"expected": ["cordon_node"]}), None, reported(LOST, "LIKELY", "cordon_node")),
        (cause("unknown", wanted="abstain"), None, reported("unknown", "INCONCLUSIVE")),
        (cause(LOST), None, None),
    )


def twelve_scores() -> tuple[ShadowScore, ...]:
    """Return the scores of the twelve, one a day, in two clusters. The eighth is a false alarm nobody explained."""
    scores: list[ShadowScore] = []
    for number, (known, actions, report) in enumerate(_rows(), start=1):
        alert_at = START + timedelta(days=number - 1)
        incident = PastIncident(
            id=f"i{number:02d}",
            alert_at=alert_at,
            cluster="east" if number % 2 else "west",
            cause=known,
            is_false_alarm=True if number == 8 else None,
            actions=None
            if actions is None
            else tuple(human(name, alert_at, after_s, undone=undone) for name, after_s, undone in actions),
        )
        if report is None:
            scores.append(
                score_missing(incident, "nothing usable", offset_s=OFFSET_S, version="v1", seconds=SECONDS)
            )
            continue
        made_at = alert_at + timedelta(seconds=OFFSET_S + SECONDS)
        scores.append(
            score_shadow(
                incident,
                report,
                lambda _path: None,
                offset_s=OFFSET_S,
                version="v1",
                made_at=made_at,
                seconds=SECONDS,
            )
        )
    return tuple(scores)
