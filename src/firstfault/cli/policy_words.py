"""How `firstfault policy` prints what it found: tables for people, plain data for programs."""

from collections.abc import Mapping, Sequence
from io import StringIO
from textwrap import wrap
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from firstfault.agent.render.safety import one_line
from firstfault.evals.gate.comparing import Changed
from firstfault.evals.gate.explaining import Line
from firstfault.policies import PolicyDecision, Proposal, Target

WIDTH = 100
_INDENT = " " * 7
_SHORT = {"shadow": "shadow", "recommend": "recom.", "approve": "appr.", "auto": "auto"}
_HEADS = {"restart_job_from_checkpoint": "restart_job", "rollback_change": "roll_back_change"}


def aimed_at(target: Target) -> str:
    """Return the target as people read it: `node gpu-00003`, `pod research/trainer-0`, or that it is not named."""
    if not target.name:
        return f"{target.kind} not named"
    place = f"{target.namespace}/" if target.namespace else ""
    return one_line(f"{target.kind} {place}{target.name}" + (f" of {target.node}" if target.node else ""))


def explanation_text(proposal: Proposal, decision: PolicyDecision, lines: Sequence[Line]) -> str:
    """Return the decision, what each policy that fired says and looked at, and a table of those that did not fire."""
    table = Table(show_edge=False, pad_edge=False)
    for name in ("", "did not fire", "looked at"):
        table.add_column(name, overflow="fold")
    fired: list[str] = []
    for line in lines:
        if line.fired:
            fired += _told(line)
        else:
            cells = ("" if line.applies else "n/a", line.policy.id, ", ".join(line.looked_at))
            table.add_row(*(Text(one_line(cell)) for cell in cells))
    head = (
        f"{proposal.action} on {aimed_at(proposal.target)} for {one_line(proposal.failure_class)}: "
        f"{decision.decision.name} in {decision.mode} mode, {decision.would_be.name} in approve mode"
    )
    return "\n".join((head, "", *fired, "", _drawn(table)))


def _told(line: Line) -> list[str]:
    """Return what one policy that fired says, what it looked at, and where it comes from."""
    said = (line.reason, f"looked at: {', '.join(line.looked_at)}", f"source: {line.policy.source}")
    rows = [f"fired  {line.policy.id}"]
    for text in said:
        rows += wrap(one_line(text), WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT + "  ")
    return rows


def explanation_json(proposal: Proposal, decision: PolicyDecision, lines: Sequence[Line]) -> dict[str, Any]:
    """Return the same as data."""
    return {
        "action": proposal.action.value,
        "target": proposal.target.key,
        "decision": decision.decision.name,
        "would_be": decision.would_be.name,
        "mode": decision.mode.value,
        "determining": list(decision.determining),
        "reasons": list(decision.reasons),
        "policies": [
            {
                "id": line.policy.id,
                "effect": line.policy.effect,
                "applies": line.applies,
                "fired": line.fired,
                "looked_at": list(line.looked_at),
                "reason": line.reason,
                "source": line.policy.source,
                "file": line.policy.file,
            }
            for line in lines
        ],
    }


def changes_text(changes: Sequence[Changed], looked_at: int) -> str:
    """Return one line per decision that would be another."""
    lines = [
        f"{each.record.id}  {each.record.proposal.action} on {aimed_at(each.record.proposal.target)}: "
        f"{each.before.decision.name}/{each.before.would_be.name} → {each.after.decision.name}/{each.after.would_be.name} "
        f"by {', '.join(_new(each)) or 'fewer policies'}"
        for each in changes
    ]
    if not looked_at:
        return "no decisions are kept yet, so none would change: they are kept as incidents are investigated"
    return "\n".join((*lines, f"{len(changes)} of {looked_at} decisions would change"))


def changes_json(changes: Sequence[Changed], looked_at: int) -> dict[str, Any]:
    """Return the same as data."""
    return {
        "decisions": looked_at,
        "changed": [
            {
                "id": each.record.id,
                "action": each.record.proposal.action.value,
                "target": each.record.proposal.target.key,
                "before": {"decision": each.before.decision.name, "would_be": each.before.would_be.name},
                "after": {"decision": each.after.decision.name, "would_be": each.after.would_be.name},
                "by": _new(each),
            }
            for each in changes
        ],
    }


def _new(changed: Changed) -> list[str]:
    return [policy for policy in changed.after.determining if policy not in changed.before.determining]


def modes_text(rows: Mapping[str, Mapping[str, str | None]]) -> str:
    """Return the matrix of failure classes and actions."""
    actions = list(next(iter(rows.values())))
    table = Table(show_edge=False, pad_edge=False, box=None, padding=(0, 1, 0, 0))
    table.add_column("class", no_wrap=True, min_width=max(map(len, rows)))
    for action in actions:
        table.add_column(_HEADS.get(action, action).replace("_", "\n"), overflow="fold")
    for name, modes in rows.items():
        table.add_row(name, *(_SHORT[mode] if (mode := modes[action]) else "—" for action in actions))
    return _drawn(table)


def _drawn(table: Table) -> str:
    sink = StringIO()
    Console(file=sink, width=WIDTH, no_color=True, highlight=False).print(table)
    return "\n".join(line.rstrip() for line in sink.getvalue().splitlines())
