"""`firstfault breaker`: what holds disruptive actions up, and the kill switch. Only a named human lets go."""

import json
from datetime import UTC, datetime

import click

from firstfault.agent.facts.settings import Switches
from firstfault.agent.gate.breaking import set_by_human
from firstfault.agent.store import NewEvent, StoreError
from firstfault.cli.configuration import NothingUsable, opened_store, settings_in_force, state
from firstfault.cli.gatehouse import switches_now
from firstfault.policies.breakers import CLUSTER, Breaker, BreakerState

_BY = click.option("--by", required=True, metavar="WHO", help="Your name, as it will stand in the audit.")
_WHY = click.option("--why", required=True, metavar="TEXT", help="The reason, as it will stand in the audit.")
SWITCH = "all"


@click.group()
def breaker() -> None:
    """Look at breakers, and reset them; recovery (uncordon) is never held up by one."""


@breaker.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def show(*, as_json: bool) -> None:
    """Show every breaker that was ever opened, and which kill switches are on: file, environment or settings, database."""
    settings = settings_in_force()
    with opened_store(settings) as store:
        try:
            found = store.controls.breakers()
        except StoreError as error:
            raise NothingUsable(str(error)) from error
        switches = switches_now(state(), datetime.now(UTC), store, settings)
    rows = [
        {
            "scope": each.scope,
            "state": each.state.value,
            "since": each.since.isoformat(timespec="seconds"),
            "by": each.by,
            "why": each.why,
        }
        for each in found
    ]
    if as_json:
        stop = {"kill_switch": switches.kill_switch, "kill_switch_by": list(switches.open_by)}
        click.echo(json.dumps({"breakers": rows, **stop}, indent=2))
        return
    for row in rows:
        click.echo(f"{row['scope']:<32} {row['state']:<10} since {row['since']} by {row['by']}: {row['why']}")
    if not rows:
        click.echo("no breaker has ever opened", err=True)
    click.echo(_said(switches))


def _said(switches: Switches) -> str:
    if switches.kill_switch is None:
        return "kill switch: cannot be read, and stops everything until it can"
    return f"kill switch: ON ({', '.join(switches.open_by)})" if switches.kill_switch else "kill switch: off"


@breaker.command()
@click.argument("scope", default=CLUSTER)
@_BY
@_WHY
@click.option(
    "--closed", is_flag=True, help="Close it at once; without this one action is let through on trial."
)
def reset(scope: str, by: str, why: str, *, closed: bool) -> None:
    """Let actions in SCOPE (`cluster`, `rack/r1`, `node//gpu-3` …) go on: one on trial, or all."""
    chosen = BreakerState.CLOSED if closed else BreakerState.HALF_OPEN
    now = datetime.now(UTC)
    with opened_store() as store:
        try:
            known = {each.scope for each in store.controls.breakers()}
            if scope not in known:
                msg = f"the breaker of `{scope}` has never opened: see `firstfault breaker show`"
                raise NothingUsable(msg)
            set_by_human(store, Breaker(scope=scope, state=chosen, since=now, why=why, by=by))
        except (StoreError, ValueError) as error:
            raise NothingUsable(str(error)) from error
    click.echo(f"{scope} is {chosen}")


@breaker.command("kill-switch")
@click.argument("position", type=click.Choice(["on", "off"]))
@_BY
@_WHY
def kill_switch(position: str, by: str, why: str) -> None:
    """Stop every execution, or let the executor go on. The file STOP and FIRSTFAULT_KILL_SWITCH stop it as well."""
    now = datetime.now(UTC)
    if not by.strip() or not why.strip():
        msg = "the kill switch is moved by somebody, for a reason: give --by and --why"
        raise NothingUsable(msg)
    event = NewEvent(
        correlation_id="kill-switch",
        kind=f"kill_switch.{position}",
        key=now.isoformat(),
        at=now,
        actor=by,
        subject=SWITCH,
        why=why,
    )
    with opened_store() as store:
        try:
            with store.together():
                store.controls.set_switch(SWITCH, is_on=position == "on", by=by, why=why, at=now)
                store.audit.append(event)
        except StoreError as error:
            raise NothingUsable(str(error)) from error
    click.echo(f"kill switch in the database: {position}")
