"""What people and the executor did about an action, in one line."""

from collections.abc import Iterator

from firstfault.agent.slack.blocks.text import code, date, local, prose
from firstfault.agent.slack.blocks.view import View
from firstfault.agent.slack.standing import Asked
from firstfault.policies.approvals import ApprovalState, Vote
from firstfault.policies.history import Ending

_ENDINGS = {
    Ending.RUNNING: "is being carried out",
    Ending.DONE: "done",
    Ending.UNDONE: "taken back",
    Ending.FAILED: "failed",
    Ending.AMBIGUOUS: "ended unclear: look at the cluster",
}
_SHOWN = 3
"""Actions whose standing is told in the message; the rest is in the thread."""


def status(view: View) -> str:
    """Return the last line of the message: who did what about it, and when; empty when nothing happened yet."""
    told = [outcome(view, each) for each in view.standing.asked[:_SHOWN]]
    left = len(view.standing.asked) - _SHOWN
    if left > 0:
        told.append(f"and {left} more in the thread")
    told += _voices(view)
    if view.standing.quiet_until is not None:
        told.append(
            f"snoozed by {view.person(view.standing.quiet_by)} until {local(view.standing.quiet_until)}"
        )
    return " · ".join(told)


def outcome(view: View, asked: Asked) -> str:
    """Return where one action stands: waiting, said yes or no to, run, or void."""
    proposal = asked.decision.proposal
    what = f"{code(proposal.action.value)} {code(proposal.target.name, 60)}"
    execution = asked.execution
    if execution is not None:
        when = f" {local(execution.ended_at)}" if execution.ended_at else ""
        why = f" ({prose(execution.why, 160)})" if execution.why else ""
        return (
            f"{what} {_ENDINGS[execution.ending]}{when}{why}, approved by {_people(view, asked, is_yes=True)}"
        )
    if asked.refused is not None:
        return f"{what} not run: {prose(asked.refused, 200)}"
    if asked.rehearsed is not None:
        return (
            f"{what} approved by {_people(view, asked, is_yes=True)}; dry run: {prose(asked.rehearsed, 300)}"
        )
    return f"{what} {_state(view, asked)}"


def _state(view: View, asked: Asked) -> str:
    approval = asked.approval
    if asked.state is ApprovalState.PENDING:
        given = f", {len(approval.approvers)} of {approval.needed}" if approval.needed > 1 else ""
        by = f" (yes: {_people(view, asked, is_yes=True)})" if approval.approvers else ""
        return f"waits for approval until {local(approval.expires_at)}{given}{by}"
    if asked.state is ApprovalState.APPROVED:
        return f"approved by {_people(view, asked, is_yes=True)}; the executor looks again before it runs"
    if asked.state is ApprovalState.REJECTED:
        return f"rejected by {_people(view, asked, is_yes=False)}"
    if asked.state is ApprovalState.SUPERSEDED:
        return f"superseded: {prose(approval.superseded_why or '', 120)}"
    return (
        f"expired {date(approval.expires_at)}" if asked.state is ApprovalState.EXPIRED else asked.state.value
    )


def _people(view: View, asked: Asked, *, is_yes: bool) -> str:
    votes: list[Vote] = [vote for vote in asked.approval.votes if vote.is_yes is is_yes]
    return ", ".join(f"{view.person(vote.approver)} {local(vote.at)}" for vote in votes)


def _voices(view: View) -> Iterator[str]:
    diagnosis = view.report.diagnosis.failure_class
    agreeing = [view.person(author) for author, said in view.standing.said.items() if said == diagnosis]
    if agreeing:
        yield f"agreed: {', '.join(agreeing)}"
    for author, said in view.standing.said.items():
        if said != diagnosis:
            yield f"{view.person(author)} says it was {code(said, 60)}"
