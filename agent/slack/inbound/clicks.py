"""What buttons do. A button carries ids and nothing else: what may be done, and whether it still may, the database says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firstfault.agent.executor.steps import NoPlanError, Plan
from firstfault.agent.feedback.labels import agreement, keep_labels, labels_of
from firstfault.agent.report.contract import Report
from firstfault.agent.slack.blocks import modals
from firstfault.agent.slack.blocks.names import Ask, Click
from firstfault.agent.slack.blocks.parts import Block
from firstfault.agent.slack.blocks.text import code, local, prose
from firstfault.agent.slack.desk import Caller, Desk
from firstfault.agent.slack.outbound.cleaning import cleaned, cleaned_asked, cleaned_plan
from firstfault.agent.slack.ports.port import ChatError
from firstfault.agent.slack.standing import Asked, asked, standing_of
from firstfault.agent.store.errors import UnknownDecisionError
from firstfault.agent.store.requests import Request
from firstfault.policies.approvals import SLACK, Approval, ApprovalState, Vote, refusal
from firstfault.tools.catalogs.taxonomy import failure_classes
from firstfault.tools.kube.errors import KubeError

_NOT_HERE = "There is nothing of that kind that this channel may see."
_TOO_SLOW = "Slack was too slow to show the window. Click again."
_ENDED = {
    ApprovalState.EXPIRED: "expired: re-run the investigation to ask anew",
    ApprovalState.SUPERSEDED: "superseded: there is newer evidence, look at the newest buttons",
    ApprovalState.REJECTED: "rejected already",
    ApprovalState.USED: "used already",
    ApprovalState.APPROVED: "approved already",
}


@dataclass(frozen=True)
class Clicks:
    """The buttons of messages."""

    desk: Desk

    def handle(self, action: str, value: str, caller: Caller) -> None:
        """Do what the button `action` is for. Network is left to errands: this returns at once."""
        handlers: Mapping[str, Callable[[str, Caller], None]] = {
            Click.APPROVE: self._approve,
            Click.REJECT: self._reject,
            Click.EVIDENCE: self._evidence,
            Click.AGREE: self._agree,
            Click.WRONG: self._wrong,
            Click.RERUN: self._rerun,
            Click.SNOOZE: self._snooze,
        }
        handler = handlers.get(action)
        if handler is not None:
            handler(value, caller)

    def _approve(self, value: str, caller: Caller) -> None:
        # Who is in a user group may have to be asked of Slack: that must not hold up the acknowledgement.
        self.desk.soon(lambda: self._ask_for_yes(value, caller))

    def _ask_for_yes(self, value: str, caller: Caller) -> None:
        found = self._votable(value, caller, is_yes=True)
        if found is not None:
            self._show_plan(found, caller)

    def _show_plan(self, found: Asked, caller: Caller) -> None:
        """Open the modal at once, within the life of the trigger, and put the plan in when it is read."""
        private = _private(found.approval, caller)
        shown = self._shown(modals.approval(found, None, None, private))
        view_id = self._show(caller, shown)
        plan, trouble = self._plan(found)
        self.desk.conversation.update_view(
            view_id, self._shown(modals.approval(found, plan, trouble, private))
        )

    def _plan(self, found: Asked) -> tuple[Plan | None, str | None]:
        """Return the plan, or why there is none."""
        if self.desk.planner is None:
            return None, "this process reads no cluster: set `kubernetes.enabled`"
        try:
            return cleaned_plan(self.desk.planner(found.decision), self.desk.redact), None
        except (NoPlanError, KubeError) as error:
            return None, self.desk.redact(str(error))

    def _reject(self, value: str, caller: Caller) -> None:
        self.desk.soon(lambda: self._ask_for_no(value, caller))

    def _ask_for_no(self, value: str, caller: Caller) -> None:
        found = self._votable(value, caller, is_yes=False)
        if found is not None:
            self._show(caller, self._shown(modals.rejection(found, _private(found.approval, caller))))

    def _votable(self, approval_id: str, caller: Caller, *, is_yes: bool) -> Asked | None:
        """Return the approval when the caller may vote on it now; otherwise say why not, and keep that."""
        store, now = self.desk.store, self.desk.clock()
        try:
            approval = store.approvals.get(approval_id)
            found = asked(store, approval, now)
        except UnknownDecisionError:
            self.desk.whisper(caller, _NOT_HERE)
            return None
        incident_id = found.decision.incident_id
        if not self.desk.hears(caller, incident_id):
            self.desk.whisper(caller, _NOT_HERE)
            return None
        person = self.desk.people.name(caller.account)
        vote = Vote(approver=person, is_yes=is_yes, at=now, via=SLACK)
        why = _why_not(found, vote) or refusal(approval, vote, self.desk.people.roster_now())
        if why is None:
            return cleaned_asked(found, self.desk.redact)
        self.desk.note(
            incident_id, "approval.click_refused", f"{approval_id}/{person}/{found.state}", caller, why
        )
        self.desk.whisper(caller, prose(why, 400))
        self.desk.touch(incident_id)
        return None

    def _evidence(self, value: str, caller: Caller) -> None:
        found = self._report(value, caller)
        if found is not None:
            report, _ = found
            now = self.desk.clock()
            standing = standing_of(self.desk.store, report.incident.id, now)
            view = self.desk.publication.view(report, standing, caller.channel, now, asked=True)
            self._open(caller, modals.evidence(view))

    def _agree(self, value: str, caller: Caller) -> None:
        found = self._report(value, caller)
        if found is None:
            return
        report, is_newest = found
        if not is_newest:
            self.desk.whisper(caller, "There is a newer report: look at it, then agree with that one.")
            return
        person, now = self.desk.people.name(caller.account), self.desk.clock()
        labels = agreement(report, person, SLACK, now)
        given = {
            (each.author, each.field): each.value for each in labels_of(self.desk.store, report.incident.id)
        }
        fresh = tuple(each for each in labels if given.get((each.author, each.field)) != each.value)
        keep_labels(self.desk.store, fresh, now, self.desk.redact)
        self.desk.touch(report.incident.id)

    def _wrong(self, value: str, caller: Caller) -> None:
        found = self._report(value, caller)
        if found is not None:
            report, _ = found
            culprit = report.diagnosis.culprit
            private = {"incident": report.incident.id, "channel": caller.channel}
            name = f"{culprit.kind}/{culprit.name}" if culprit else ""
            self._open(
                caller,
                modals.correction(report.diagnosis.failure_class, sorted(failure_classes()), name, private),
            )

    def _rerun(self, value: str, caller: Caller) -> None:
        found = self._report(value, caller)
        if found is None:
            return
        report, _ = found
        incident_id = report.incident.id
        content = {
            "incident": incident_id,
            "person": caller.account,
            "stamp": caller.stamp,
            "thread": caller.stamp,
        }
        request = Request(
            key=f"rerun/{value}",
            kind=Ask.RERUN,
            channel=caller.channel,
            content=content,
            incident_id=incident_id,
        )
        if not self.desk.store.requests.keep(request, self.desk.clock()):
            self.desk.whisper(caller, "That is being investigated again already.")
        self.desk.wake.set()

    def _snooze(self, value: str, caller: Caller) -> None:
        found = self._report(value, caller)
        if found is not None:
            incident_id = found[0].incident.id
            private = {"incident": incident_id, "channel": caller.channel}
            self._open(caller, modals.snooze(incident_id, private))

    def _report(self, value: str, caller: Caller) -> tuple[Report, bool] | None:
        """Return the newest report of what a button is about, and whether the button was of that one."""
        incident_id, _, version = value.partition("@")
        if not self.desk.hears(caller, incident_id):
            self.desk.whisper(caller, _NOT_HERE)
            return None
        report = self.desk.store.reports.get(incident_id)
        if report is None:
            self.desk.whisper(caller, f"The report of {code(incident_id, 60)} is not kept any more.")
            return None
        return report, version in {"", str(self.desk.store.reports.count(incident_id))}

    def _open(self, caller: Caller, view: Block) -> None:
        shown = self._shown(view)
        self.desk.soon(lambda: self._show(caller, shown))

    def _show(self, caller: Caller, shown: Block) -> str:
        """Return the id of the modal that is shown; who is not shown it, for Slack was too slow, is told so."""
        try:
            return self.desk.conversation.open_view(caller.trigger, shown)
        except ChatError:
            self.desk.whisper(caller, _TOO_SLOW)
            raise

    def _shown(self, view: Block) -> Block:
        return cleaned(view, self.desk.redact)


def _why_not(found: Asked, vote: Vote) -> str | None:
    """Return why a button that is past its time does nothing, in words for people."""
    if found.execution is not None:
        return f"It was carried out {local(found.execution.begun_at)}."
    if found.state is ApprovalState.PENDING:
        if vote.is_yes and vote.approver in found.approval.approvers:
            return (
                f"You said yes already; {found.approval.needed - len(found.approval.approvers)} more needed."
            )
        return None
    return f"This approval is {_ENDED[found.state]}."


def _private(approval: Approval, caller: Caller) -> dict[str, str]:
    return {"approval": approval.id, "channel": caller.channel, "stamp": caller.stamp}
