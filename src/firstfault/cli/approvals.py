"""`firstfault approvals`: what waits for people, and saying yes or no where there is no Slack."""

import getpass
import json
from datetime import UTC, datetime
from typing import Any

import click

from firstfault.agent.gate.approving import ApprovalDesk, VoteRefusedError
from firstfault.agent.store import Store, StoreError
from firstfault.cli.configuration import NothingUsable, opened_store, settings_in_force
from firstfault.cli.gatehouse import roster
from firstfault.policies.approvals import Approval, Vote

_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
_BY = click.option(
    "--by", default=None, metavar="WHO", help="Your name as in [approvers]; without it your user name."
)


@click.group()
def approvals() -> None:
    """See what waits for approval; each approval is for one decision, as it was when it was asked for."""


@approvals.command("list")
@click.option("--last", type=click.IntRange(1), default=50, show_default=True)
@click.option("--waiting", is_flag=True, help="Only those that people can still give.")
@_JSON
def list_approvals(last: int, *, waiting: bool, as_json: bool) -> None:
    """List approvals, the newest first."""
    now = datetime.now(UTC)
    with opened_store() as store:
        try:
            found = [_plain(store, each, now) for each in store.approvals.recent(last)]
        except StoreError as error:
            raise NothingUsable(str(error)) from error
    rows = [row for row in found if not waiting or row["state"] == "pending"]
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        votes = f"{len(row['approvers'])}/{row['needed']}"
        click.echo(
            f"{row['id']}  {row['state']:<10}  {votes}  {row['action']:<28} {row['target']}  until {row['expires_at']}"
        )
    if not rows:
        click.echo(
            "nothing to approve: only cells in approve mode ask, see `firstfault policy modes`", err=True
        )


@approvals.command()
@click.argument("approval")
@_JSON
def show(approval: str, *, as_json: bool) -> None:
    """Show one approval: what is asked, why, with which facts, who said what."""
    from firstfault.agent.render.safety import one_line

    now = datetime.now(UTC)
    with opened_store() as store:
        try:
            asked = store.approvals.get(approval)
            row = _plain(store, asked, now)
            record = store.decisions.get(asked.decision_id)
        except StoreError as error:
            raise NothingUsable(str(error)) from error
    facts = {name: str(value) for name, value in sorted(record.facts.known().items())}
    evidence = sorted(record.proposal.evidence)
    if as_json:
        click.echo(json.dumps({**row, "facts": facts, "evidence": evidence}, indent=2))
        return
    for name, value in row.items():
        click.echo(f"{name}: {value}")
    click.echo(f"evidence: {', '.join(evidence)}\nfacts:")
    for name, shown in facts.items():
        click.echo(f"  {name} = {one_line(shown)}")


@approvals.command()
@click.argument("approval")
@_BY
def approve(approval: str, by: str | None) -> None:
    """Say yes to one approval. The executor reads the cluster and asks the gate again before anything runs."""
    _vote(approval, by, is_yes=True)


@approvals.command()
@click.argument("approval")
@_BY
def reject(approval: str, by: str | None) -> None:
    """Say no to one approval; one no is enough."""
    _vote(approval, by, is_yes=False)


def _vote(approval: str, by: str | None, *, is_yes: bool) -> None:
    now = datetime.now(UTC)
    settings = settings_in_force()
    vote = Vote(approver=by or getpass.getuser(), is_yes=is_yes, at=now, via="cli")
    with opened_store(settings) as store:
        try:
            after = ApprovalDesk(store=store, roster=roster(settings)).vote(approval, vote)
        except (StoreError, VoteRefusedError) as error:
            raise NothingUsable(str(error)) from error
    click.echo(f"{after.id} {after.state(now)}: {len(after.approvers)} of {after.needed}")


def _plain(store: Store, approval: Approval, now: datetime) -> dict[str, Any]:
    from firstfault.agent.render.safety import one_line

    record = store.decisions.get(approval.decision_id)
    return {
        "id": approval.id,
        "state": approval.state(now).value,
        "decision": approval.decision_id,
        "incident": record.incident_id,
        "action": approval.action.value,
        "target": one_line(record.proposal.target.key),
        "failure_class": record.proposal.failure_class,
        "requester": approval.requester,
        "needed": approval.needed,
        "approvers": sorted(approval.approvers),
        "asked_at": approval.asked_at.isoformat(timespec="seconds"),
        "expires_at": approval.expires_at.isoformat(timespec="seconds"),
        "superseded": approval.superseded_why or "",
        "reasons": [one_line(reason) for reason in record.decision.reasons],
    }
