"""`firstfault executor`: a process of its own that carries out approved decisions. It knows no model and no graph."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime

import click

from firstfault.agent.executor.cluster import WritableCluster
from firstfault.agent.executor.equipment import Equipment
from firstfault.agent.executor.plans.planning import PlanSettings
from firstfault.agent.executor.service import Service
from firstfault.agent.executor.steps import NoPlanError, Plan, described, steps_in_words
from firstfault.agent.facts.repairs import RepairError
from firstfault.agent.gate.files import load_limits, load_policies
from firstfault.agent.ledger.reading import read_ledger
from firstfault.agent.settings import Settings
from firstfault.agent.store import Store, StoreError
from firstfault.agent.store.roles import excess_rights, grants
from firstfault.agent.store.turns import EXECUTOR_LOCK, Turn, turn
from firstfault.cli.configuration import NothingUsable, opened_store, settings_in_force, state
from firstfault.cli.gatehouse import fact_settings, gate_environment, repairs_in_force, roster, switches_now
from firstfault.policies.limits import LimitError
from firstfault.policies.texts import PolicyError
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.errors import KubeConfigError
from firstfault.tools.kube.settings import KubeSettings


class RealClock:
    """The clock of this machine; a wait ends sooner when the process is asked to stop."""

    def __init__(self, stopping: threading.Event) -> None:
        """Take what is set when the process is to stop."""
        self._stopping = stopping

    def now(self) -> datetime:
        """Return the moment."""
        return datetime.now(UTC)

    def wait(self, seconds: float) -> None:
        """Return after `seconds`, or when the process is asked to stop."""
        self._stopping.wait(seconds)


@click.group(invoke_without_command=True)
@click.option("--once", is_flag=True, help="One round, then end.")
@click.option(
    "--dry-run", "dry_run", metavar="DECISION", help="Print the exact API calls of a decision; send nothing."
)
@click.pass_context
def executor(context: click.Context, dry_run: str | None, *, once: bool) -> None:
    """Look at approved decisions again, and run what is still allowed: one at a time, every step in the audit.

    Executing for real needs Postgres and a database role of its own (`firstfault executor grants`).
    """
    if context.invoked_subcommand is not None:
        return
    settings = settings_in_force()
    try:
        with opened_store(settings) as store:
            if dry_run is not None:
                _show(Service(_equipment(settings, store, Turn(None), threading.Event())).preview(dry_run))
                return
            _require_real(store)
            _serve(settings, store, once=once)
    except (StoreError, PolicyError, LimitError, KubeConfigError, NoPlanError, RepairError) as error:
        raise NothingUsable(str(error)) from error


@executor.command("grants")
@click.argument("role")
def print_grants(role: str) -> None:
    """Print the SQL that gives the database ROLE what the executor needs, and nothing else."""
    for statement in grants(role):
        click.echo(statement)


def _require_real(store: Store) -> None:
    """Refuse what could not be held apart: SQLite has no roles, and a role that can write approvals could approve itself."""
    if store.database.is_sqlite:
        msg = (
            "executing for real needs Postgres with a role of its own, SQLite is for `--dry-run` only: "
            "set FIRSTFAULT_DATABASE_URL"
        )
        raise NothingUsable(msg)
    excess = excess_rights(store.database)
    if excess:
        msg = f"this database role may {excess[0]} ({len(excess)} rights too many): run `firstfault executor grants ROLE`"
        raise NothingUsable(msg)


def _serve(settings: Settings, store: Store, *, once: bool) -> None:
    with _stopping() as stopping:
        while not stopping.is_set():
            with turn(store.database, EXECUTOR_LOCK) as held:
                if held is None:
                    click.echo("another executor is at work; standing by", err=True)
                else:
                    _rounds(settings, store, held, stopping, once=once)
            if once:
                return
            stopping.wait(settings.executor.interval_s)


def _rounds(settings: Settings, store: Store, held: Turn, stopping: threading.Event, *, once: bool) -> None:
    """Make rounds as long as the turn is ours; every round sees policies, limits and modes as they are then."""
    while held.is_held() and not stopping.is_set():
        words = Service(_equipment(settings, store, held, stopping)).round()
        for decision_id, word in words.items():
            click.echo(f"{decision_id} {word}", err=True)
        if once:
            return
        stopping.wait(settings.executor.interval_s)


def _equipment(settings: Settings, store: Store, held: Turn, stopping: threading.Event) -> Equipment:
    kube = _kube(settings)
    clock = RealClock(stopping)
    return Equipment(
        store=store,
        door=ReadDoor(kube),
        cluster=WritableCluster(kube),
        policies=load_policies(settings.policy.site),
        limits=load_limits(settings.policy.limits_file, gate_environment(settings)),
        plans=PlanSettings(facts=fact_settings(settings.policy), repairs=repairs_in_force(settings)),
        clock=clock,
        holder=settings.executor.name or socket.gethostname(),
        switches=lambda: switches_now(state(), clock.now(), store, settings),
        modes=lambda: read_ledger(store, state()).table,
        roster=lambda: roster(settings_in_force()),
        stop_reason=_stop_reason(settings, store, held, stopping),
    )


def _stop_reason(
    settings: Settings, store: Store, held: Turn, stopping: threading.Event
) -> Callable[[], str | None]:
    def reason() -> str | None:
        if stopping.is_set():
            return "the process was asked to stop"
        if not held.is_held():
            return "another executor may have the turn"
        found = switches_now(state(), datetime.now(UTC), store, settings)
        if found.kill_switch is False:
            return None
        return (
            f"the kill switch is on: {', '.join(found.open_by)}"
            if found.kill_switch
            else "a kill switch cannot be read"
        )

    return reason


def _kube(settings: Settings) -> KubeSettings:
    cluster = settings.kubernetes
    return KubeSettings(
        kubeconfig=cluster.kubeconfig,
        context=cluster.context,
        is_in_cluster=cluster.kubeconfig is None and "KUBERNETES_SERVICE_HOST" in os.environ,
        user_agent="firstfault executor",
    )


@contextmanager
def _stopping() -> Generator[threading.Event]:
    """Give an event that is set by SIGTERM or SIGINT: the step at hand ends, the next one is left to the next start."""
    event = threading.Event()

    def ask_to_stop(_number: int, _frame: object) -> None:
        event.set()

    before = {number: signal.signal(number, ask_to_stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield event
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _show(plan: Plan) -> None:
    import json

    steps = steps_in_words(len(plan.steps))
    click.echo(f"{plan.action} on {plan.target}: {steps}, at most {plan.deadline_s} s; nothing is sent")
    for number, step in enumerate(plan.steps, start=1):
        click.echo(f"\n{number}. {step.name}")
        for label, call in (("call", step.call), ("undo", step.undo)):
            if call is not None:
                click.echo(f"   {label}: {call.verb.upper()} {call.path}")
                click.echo(f"         {json.dumps(call.body, sort_keys=True)}")
        for label, checks in (("before", step.before), ("done", step.done)):
            for check in checks:
                click.echo(f"   {label}: {described(check)}")
