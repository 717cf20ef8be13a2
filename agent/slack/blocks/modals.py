"""What is shown when somebody clicks: the exact plan before a yes, a reason with a no, what the cause really was. Pure."""

import json
from collections.abc import Mapping, Sequence

from firstfault.agent.executor.steps import Plan, Step, described
from firstfault.agent.render.briefing import brief
from firstfault.agent.render.safety import one_line
from firstfault.agent.slack.blocks.card import evidence_line
from firstfault.agent.slack.blocks.names import Form
from firstfault.agent.slack.blocks.parts import Block, choice, context, divider, field, modal, section
from firstfault.agent.slack.blocks.text import code, date, escaped, local, prose
from firstfault.agent.slack.blocks.view import View
from firstfault.agent.slack.standing import Asked
from firstfault.policies.targets import Target, TargetKind

SNOOZES = {"1": "1 hour", "4": "4 hours", "12": "12 hours", "24": "1 day"}
"""Hours → what the choice says."""
_EXCERPTS = 40
_STEPS = 20
_MAX_BODY = 500


def approval(view_of: Asked, plan: Plan | None, trouble: str | None, private: Mapping[str, str]) -> Block:
    """Return the modal for a yes: the decision, and the exact calls; without a plan there is nothing to say yes to."""
    blocks = [*_decision(view_of), divider()]
    if plan is None:
        words = (
            "Reading the cluster for the plan …"
            if trouble is None
            else f"No plan can be made now: {prose(trouble, 300)}."
        )
        blocks.append(section(words))
        return modal("Approve", blocks, callback=Form.SHOW, private=_ids(private))
    steps = "1 step" if len(plan.steps) == 1 else f"{len(plan.steps)} steps"
    blocks.append(section(f"*The plan:* {steps} on {code(plan.target, 80)}, at most {plan.deadline_s} s"))
    blocks += [section(_step(number, step)) for number, step in enumerate(plan.steps[:_STEPS], start=1)]
    if len(plan.steps) > _STEPS:
        blocks.append(
            section(
                f"and {len(plan.steps) - _STEPS} more steps: `firstfault executor --dry-run {view_of.decision.id}`"
            )
        )
    blocks.append(
        context(
            "The executor reads the cluster and asks the gate again before anything runs. A yes is used once."
        )
    )
    return modal(
        "Approve", blocks, callback=Form.APPROVE, private=_ids(private), submit="Approve", close="Cancel"
    )


def _decision(asked: Asked) -> list[Block]:
    record, request = asked.decision, asked.approval
    proposal, decision = record.proposal, record.decision
    reasons = [
        f"• {prose(each.reason, 200)} ({code(each.policy, 60)})" for each in decision.would_be_because[:8]
    ]
    lines = [
        f"{code(proposal.action.value)} on {code(_named(proposal.target), 100)}",
        f"because of {code(proposal.failure_class, 60)}, {proposal.certainty.value}; {len(proposal.evidence)} excerpts",
        f"decided {date(record.made_at)}; a yes can be given until {local(request.expires_at)}",
        f"people needed: {request.needed}; yes so far: {len(request.approvers)}",
        f"decision {code(record.id, 40)} · bound to {code(record.binding[:16], 20)}",
    ]
    blocks = [section("\n".join(lines))]
    if reasons:
        blocks.append(section("\n".join(["*The gate's reasons*", *reasons])))
    return blocks


def _named(target: Target) -> str:
    scope = target.node if target.kind is TargetKind.GPU else target.namespace
    return f"{target.kind.value} {scope}/{target.name}" if scope else f"{target.kind.value} {target.name}"


def _step(number: int, step: Step) -> str:
    lines = [f"*{number}* {prose(step.name, 120)}"]
    for label, call in (("call", step.call), ("undo", step.undo)):
        if call is not None:
            lines.append(f"{label}: {code(f'{call.verb.upper()} {call.path}', 300)}")
            body = json.dumps(dict(call.body), sort_keys=True)
            lines.append(code(body, _MAX_BODY))
    if step.call is None:
        lines.append("waits, sends nothing")
    lines += [f"before: {prose(described(check), 160)}" for check in step.before[:3]]
    lines += [f"done when: {prose(described(check), 160)}" for check in step.done[:3]]
    return "\n".join(lines)


def rejection(asked: Asked, private: Mapping[str, str]) -> Block:
    """Return the modal for a no with its reason."""
    blocks = [*_decision(asked), field("Why not?", "reason", is_long=True)]
    return modal(
        "Reject", blocks, callback=Form.REJECT, private=_ids(private), submit="Reject", close="Cancel"
    )


def correction(current: str, classes: Sequence[str], culprit: str, private: Mapping[str, str]) -> Block:
    """Return the modal for what the cause really was. classes: of the taxonomy; a select holds 100, so they come in groups."""
    groups: dict[str, dict[str, str]] = {}
    for name in classes:
        groups.setdefault(name.partition(".")[0], {})[name] = name
    picker = choice("What was it really?", "class", {name: name for name in classes[:100]})
    picker["element"] = {
        "type": "static_select",
        "action_id": "class",
        "option_groups": [
            {
                "label": {"type": "plain_text", "text": group[:75]},
                "options": [
                    {"text": {"type": "plain_text", "text": name[:75]}, "value": name[:75]}
                    for name in members
                ][:100],
            }
            for group, members in list(groups.items())[:100]
        ],
    }
    blocks = [
        section(f"firstfault said {code(current, 60)}" + (f" on {code(culprit, 80)}" if culprit else "")),
        picker,
        field("Which machine, pod or part was it? (kind/name)", "culprit", is_optional=True),
        field("What did you see?", "comment", is_long=True, is_optional=True),
    ]
    return modal(
        "Wrong cause", blocks, callback=Form.WRONG, private=_ids(private), submit="Save", close="Cancel"
    )


def snooze(incident: str, private: Mapping[str, str]) -> Block:
    """Return the modal for how long there is to be silence."""
    blocks = [
        section(f"No new messages about {code(incident, 60)} here for"),
        choice("How long?", "hours", SNOOZES, "4"),
    ]
    return modal(
        "Snooze", blocks, callback=Form.SNOOZE, private=_ids(private), submit="Snooze", close="Cancel"
    )


def evidence(view: View) -> Block:
    """Return the excerpts of a report, the most important first."""
    briefing = brief(view.report)
    shown = briefing.cited.ordered[:_EXCERPTS]
    blocks = [
        section(
            f"[{briefing.cited.number(part.id)}] {evidence_line(view, briefing, part, 400)}\n"
            f"{code(part.id, 40)} · asked: {code(part.query, 120)} · sha256 {code(part.sha256[:16], 20)}"
        )
        for part in shown
    ]
    left = len(briefing.cited.ordered) - len(shown)
    blocks.append(context(view.whole() if left <= 0 else f"and {left} more: {view.whole()}"))
    return modal("Evidence", blocks or [section("no evidence")], callback=Form.SHOW)


def said(title: str, text: str) -> Block:
    """Return a modal that only says something."""
    return modal(title, [section(prose(text, 1000) or escaped(one_line(text)))], callback=Form.SHOW)


def _ids(private: Mapping[str, str]) -> str:
    return json.dumps(dict(private), sort_keys=True)
