"""Approvals and votes as signed rows. The state machine is `firstfault.policies.approvals`; here it is only kept."""

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from firstfault.agent.store.database import Database
from firstfault.agent.store.errors import UnknownDecisionError
from firstfault.agent.store.gate_tables import ApprovalRow, DecisionRow, PermitRow, RefusalRow, VoteRow
from firstfault.agent.store.rows import insert_new
from firstfault.agent.store.seals import require_sealed, seal
from firstfault.agent.store.signing import SigningKey
from firstfault.policies.actions import Action
from firstfault.policies.approvals import Approval, Vote

_APPROVAL, _VOTE = "approval", "vote"


class Approvals:
    """Puts and gets approvals; a vote is written once and never changed."""

    def __init__(self, database: Database, key: SigningKey) -> None:
        """Take the database and the key that signs."""
        self._database = database
        self._key = key

    def ask(self, approval: Approval) -> Approval:
        """Return the approval that is asked for: `approval`, or the one that was asked for the same decision before."""
        with self._database.writing() as session:
            insert_new(session, ApprovalRow, seal(self._key, _APPROVAL, _approval_values(approval)))
            found = self.of_decision(approval.decision_id)
        return found or approval

    def vote(self, approval_id: str, vote: Vote) -> Approval:
        """Return the approval with `vote`; a person's second vote is not written. Raises UnknownDecisionError."""
        with self._database.writing() as session:
            insert_new(session, VoteRow, seal(self._key, _VOTE, _vote_values(approval_id, vote)))
            return self.get(approval_id)

    def supersede(self, approval_id: str, why: str) -> Approval:
        """Return the approval, void from now on; the first reason stays. Raises UnknownDecisionError."""
        with self._database.writing() as session:
            row = self._row(session, approval_id)
            if row.superseded_why is None:
                changed = {**_row_values(row), "superseded_why": why}
                sealed = seal(self._key, _APPROVAL, changed)
                row.superseded_why, row.signature = why, str(sealed["signature"])
                row.key_id = self._key.id
                session.flush()
            return self.get(approval_id)

    def get(self, approval_id: str) -> Approval:
        """Return the approval with its votes. Raises UnknownDecisionError or ForgedRowError."""
        with self._database.reading() as session:
            return self._approval(session, self._row(session, approval_id))

    def of_decision(self, decision_id: str) -> Approval | None:
        """Return the approval of a decision, or None. Raises ForgedRowError."""
        with self._database.reading() as session:
            row = session.scalar(select(ApprovalRow).where(ApprovalRow.decision_id == decision_id))
            return None if row is None else self._approval(session, row)

    def of_incident(self, incident_id: str) -> tuple[Approval, ...]:
        """Return the approvals of an incident's decisions, the oldest first. Raises ForgedRowError."""
        query = (
            select(ApprovalRow)
            .join(DecisionRow, DecisionRow.id == ApprovalRow.decision_id)
            .where(DecisionRow.incident_id == incident_id)
            .order_by(ApprovalRow.asked_at, ApprovalRow.id)
        )
        with self._database.reading() as session:
            return tuple(self._approval(session, row) for row in session.scalars(query))

    def recent(self, limit: int) -> tuple[Approval, ...]:
        """Return approvals, the newest first. Raises ForgedRowError."""
        query = select(ApprovalRow).order_by(ApprovalRow.asked_at.desc(), ApprovalRow.id).limit(limit)
        with self._database.reading() as session:
            return tuple(self._approval(session, row) for row in session.scalars(query))

    def _row(self, session: Session, approval_id: str) -> ApprovalRow:
        row = session.get(ApprovalRow, approval_id, populate_existing=True)
        if row is None:
            msg = f"there is no approval `{approval_id}`: see `firstfault approvals list`"
            raise UnknownDecisionError(msg)
        return row

    def _approval(self, session: Session, row: ApprovalRow) -> Approval:
        require_sealed(self._key, _APPROVAL, _row_values(row), row)
        votes = [self._vote(each) for each in session.scalars(_votes_of(row.id)).all()]
        used = session.scalar(select(PermitRow.issued_at).where(PermitRow.decision_id == row.decision_id))
        return Approval(
            id=row.id,
            decision_id=row.decision_id,
            binding=row.binding,
            action=Action(row.action),
            requester=row.requester,
            needed=row.needed,
            asked_at=row.asked_at,
            expires_at=row.expires_at,
            votes=tuple(votes),
            superseded_why=row.superseded_why or self._refusal(session, row.decision_id),
            used_at=used,
        )

    def _refusal(self, session: Session, decision_id: str) -> str | None:
        row = session.get(RefusalRow, decision_id)
        return None if row is None else row.why

    def _vote(self, row: VoteRow) -> Vote:
        vote = Vote(approver=row.approver, is_yes=bool(row.is_yes), at=row.at, via=row.via)
        require_sealed(self._key, _VOTE, _vote_values(row.approval_id, vote), row)
        return vote


def _votes_of(approval_id: str) -> Select[VoteRow]:
    return select(VoteRow).where(VoteRow.approval_id == approval_id).order_by(VoteRow.at, VoteRow.approver)


def _approval_values(approval: Approval) -> dict[str, object]:
    return {
        "id": approval.id,
        "decision_id": approval.decision_id,
        "binding": approval.binding,
        "action": approval.action.value,
        "requester": approval.requester,
        "needed": approval.needed,
        "asked_at": approval.asked_at,
        "expires_at": approval.expires_at,
        "superseded_why": approval.superseded_why,
    }


def _row_values(row: ApprovalRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in _APPROVAL_FIELDS}


_APPROVAL_FIELDS = (
    "id",
    "decision_id",
    "binding",
    "action",
    "requester",
    "needed",
    "asked_at",
    "expires_at",
    "superseded_why",
)


def _vote_values(approval_id: str, vote: Vote) -> dict[str, object]:
    return {
        "approval_id": approval_id,
        "approver": vote.approver,
        "is_yes": int(vote.is_yes),
        "at": vote.at,
        "via": vote.via,
    }
