"""What submitted modals do: votes, labels, silences. Each is in the database before Slack is told that it was taken."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError

from firstfault.agent.feedback.labels import About, Label, keep_labels
from firstfault.agent.gate.approving import VoteRefusedError
from firstfault.agent.slack.blocks import modals
from firstfault.agent.slack.blocks.names import Form
from firstfault.agent.slack.blocks.parts import Block
from firstfault.agent.slack.desk import Caller, Desk
from firstfault.agent.slack.outbound.cleaning import cleaned
from firstfault.agent.slack.ports.payloads import Values, part, text
from firstfault.agent.store.errors import ForgedRowError, UnknownDecisionError
from firstfault.agent.store.requests import Silence
from firstfault.policies.approvals import SLACK, Approval, ApprovalState, Vote
from firstfault.tools.catalogs.taxonomy import failure_classes

_STRINGS = TypeAdapter(dict[str, str])
Reply = dict[str, Any]
"""What Slack is answered: empty closes the modal, `response_action` shows something else in it."""


@dataclass(frozen=True)
class Forms:
    """The modals."""

    desk: Desk

    def submit(self, view: Mapping[str, Any], caller: Caller) -> Reply:
        """Return the answer to a modal that was submitted."""
        handlers: Mapping[str, Callable[[Mapping[str, str], Values, Caller], Reply]] = {
            Form.APPROVE: self._approve,
            Form.REJECT: self._reject,
            Form.WRONG: self._wrong,
            Form.SNOOZE: self._snooze,
        }
        handler = handlers.get(str(view.get("callback_id")))
        ids = _ids(str(view.get("private_metadata") or ""))
        values = part(view, "state", "values")
        in_channel = Caller(account=caller.account, channel=ids.get("channel", ""))
        return {} if handler is None else handler(ids, values, in_channel)

    def _approve(self, ids: Mapping[str, str], values: Values, caller: Caller) -> Reply:
        del values
        return self._vote(ids, caller, is_yes=True, reason="")

    def _reject(self, ids: Mapping[str, str], values: Values, caller: Caller) -> Reply:
        return self._vote(ids, caller, is_yes=False, reason=_text(values, "reason"))

    def _vote(self, ids: Mapping[str, str], caller: Caller, *, is_yes: bool, reason: str) -> Reply:
        store, now = self.desk.store, self.desk.clock()
        person = self.desk.people.name(caller.account)
        try:
            record = store.decisions.get(store.approvals.get(ids.get("approval", "")).decision_id)
            if not self.desk.hears(caller, record.incident_id):
                return self._say("Not here", "There is nothing of that kind that this channel may see.")
            vote = Vote(approver=person, is_yes=is_yes, at=now, via=SLACK)
            # Outside of `together`: a vote that is refused is kept in the audit as well.
            after = self.desk.approvals().vote(ids["approval"], vote)
        except (VoteRefusedError, UnknownDecisionError, ForgedRowError) as error:
            return self._say("Not taken", str(error))
        if reason:
            self.desk.note(record.incident_id, "approval.reason", f"{after.id}/{person}", caller, reason)
        self.desk.touch(record.incident_id)
        return self._say("Taken", _told(after, after.state(now)))

    def _wrong(self, ids: Mapping[str, str], values: Values, caller: Caller) -> Reply:
        chosen = _choice(values, "class")
        incident_id = ids.get("incident", "")
        if chosen not in failure_classes():
            return {"response_action": "errors", "errors": {"class": "Choose one of the list."}}
        if not self.desk.hears(caller, incident_id):
            return self._say("Not here", "There is nothing of that kind that this channel may see.")
        given = {
            About.FAILURE_CLASS: chosen,
            About.CULPRIT: _text(values, "culprit"),
        }
        now = self.desk.clock()
        labels = tuple(
            Label(
                incident=incident_id,
                field=about,
                value=value,
                author=self.desk.people.name(caller.account),
                source=SLACK,
                at=now,
            )
            for about, value in given.items()
            if value
        )
        comment = _text(values, "comment")
        with self.desk.store.together():
            keep_labels(self.desk.store, labels, now, self.desk.redact)
            if comment:
                self.desk.note(incident_id, "shadow.comment", now.isoformat(), caller, comment)
        self.desk.touch(incident_id)
        return {}

    def _snooze(self, ids: Mapping[str, str], values: Values, caller: Caller) -> Reply:
        hours, incident_id = _choice(values, "hours"), ids.get("incident", "")
        if hours not in modals.SNOOZES or not self.desk.hears(caller, incident_id):
            return {"response_action": "errors", "errors": {"hours": "Choose one of the list."}}
        now = self.desk.clock()
        silence = Silence(
            channel=caller.channel,
            subject=incident_id,
            until=now + timedelta(hours=int(hours)),
            by=self.desk.people.name(caller.account),
            why="snoozed",
            at=now,
        )
        with self.desk.store.together():
            self.desk.store.requests.silence(silence)
            self.desk.note(incident_id, "chat.snoozed", now.isoformat(), caller, f"for {hours} h")
        self.desk.touch(incident_id)
        return {}

    def _say(self, title: str, text: str) -> Reply:
        view: Block = cleaned(modals.said(title, text), self.desk.redact)
        return {"response_action": "update", "view": view}


def _told(after: Approval, state: ApprovalState) -> str:
    if state is ApprovalState.REJECTED:
        return "Rejected: it will not be run."
    if state is ApprovalState.APPROVED:
        return "Approved. The executor looks at the cluster and asks the gate again before anything runs."
    return f"Your yes is kept: {len(after.approvers)} of {after.needed}. Somebody else must say yes too."


def _ids(private: str) -> dict[str, str]:
    try:
        return _STRINGS.validate_json(private or "{}")
    except ValidationError:
        return {}


def _text(values: Values, block: str) -> str:
    return text(part(values, block, block), "value").strip()


def _choice(values: Values, block: str) -> str:
    return text(part(values, block, block, "selected_option"), "value")
