"""Puts the gate together: policies, limits, switches, modes, history and site facts as this process finds them."""

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from firstfault.agent.facts.gate import Gatekeeper
from firstfault.agent.facts.repairs import Repair, RepairError, load_repairs
from firstfault.agent.facts.settings import CalendarEntry, FactSettings, Switches
from firstfault.agent.gate.approving import ApprovalDesk
from firstfault.agent.gate.files import ENV_PREFIX, load_limits, load_policies
from firstfault.agent.gate.live import LiveGatekeeper
from firstfault.agent.gate.past import read_history
from firstfault.agent.gate.switches import KILL_VARIABLE, look_at_switches
from firstfault.agent.ledger.reading import LedgerReading, read_ledger
from firstfault.agent.settings import Settings
from firstfault.agent.settings.gate_sections import PolicySettings, WindowSettings
from firstfault.agent.store import Store, StoreError
from firstfault.policies import History, ModeTable
from firstfault.policies.actions import EXECUTABLE, Action
from firstfault.policies.approvals import Roster
from firstfault.tools.kube.door import ReadDoor


def load_gate(
    state: Path, now: datetime, store: Store | None = None, settings: Settings | None = None
) -> Gatekeeper:
    """Return the gate of this installation; without a store every cell is in shadow.

    Raises PolicyError or LimitError with the remedy.
    """
    chosen = settings or Settings()
    ledger = LedgerReading(table=ModeTable()) if store is None else read_ledger(store, state)
    return Gatekeeper(
        modes=ledger.table,
        mode_trouble=ledger.trouble,
        policies=load_policies(chosen.policy.site),
        limits=load_limits(chosen.policy.limits_file, gate_environment(settings)),
        history=History(rows=(), open_breakers=frozenset()) if store is None else read_history(store),
        switches=lambda: switches_now(state, now, store, settings),
        settings=fact_settings(chosen.policy),
        keep=None if store is None else store.decisions.put,
    )


def live_gate(
    state: Path, store: Store, settings: Settings, clock: Callable[[], datetime]
) -> Gatekeeper | LiveGatekeeper:
    """Return the gate for one live incident, put together anew: modes, breakers and policies as they are now.

    With a cluster in the settings facts are read from it, decisions are kept, and people are asked where a cell is in approve
    mode. Raises PolicyError, LimitError, RepairError or KubeConfigError with the remedy.
    """
    gate = load_gate(state, clock(), store, settings)
    if not settings.kubernetes.enabled:
        return gate
    from firstfault.cli.live import kube_settings

    return LiveGatekeeper(
        recorded=gate,
        door=ReadDoor(kube_settings(settings, "gate")),
        desk=ApprovalDesk(store=store, roster=roster(settings)),
        clock=clock,
        repairs=repairs_in_force(settings),
    )


def repairs_in_force(settings: Settings) -> dict[Action, Repair]:
    """Return which controllers do resets, reboots and replacements. Raises RepairError."""
    file = settings.executor.repairs_file
    try:
        text = file.read_text("utf-8") if file else None
    except OSError as error:
        msg = f"cannot read the repair profiles `{file}`: {error.strerror}"
        raise RepairError(msg) from error
    return load_repairs(settings.executor.repairs, text)


def switches_now(
    state: Path, now: datetime, store: Store | None = None, settings: Settings | None = None
) -> Switches:
    """Return what the kill switches say: file, environment, settings and database. Any one of them stops everything."""
    in_database: bool | None = False
    if store is not None:
        try:
            in_database = store.controls.switch_is_on()
        except StoreError:
            in_database = None
    return look_at_switches(state, gate_environment(settings), in_database=in_database, at=now)


def gate_environment(settings: Settings | None) -> dict[str, str]:
    """Return the environment as the gate reads it, with the limits and the kill switch of the settings file in it."""
    environment = dict(os.environ)
    if settings is not None:
        environment |= {f"{ENV_PREFIX}{name.upper()}": str(value) for name, value in settings.limits.items()}
        if settings.kill_switch:
            environment[KILL_VARIABLE] = "on"
    return environment


def fact_settings(policy: PolicySettings) -> FactSettings:
    """Return where facts are written in this cluster."""
    usual = FactSettings()
    return FactSettings(
        protected_namespaces=usual.protected_namespaces | frozenset(policy.protected_namespaces),
        pool_labels=usual.pool_labels if policy.pool_labels is None else policy.pool_labels,
        rack_labels=usual.rack_labels if policy.rack_labels is None else policy.rack_labels,
        switch_labels=usual.switch_labels if policy.switch_labels is None else policy.switch_labels,
        checkpoint_annotation=policy.checkpoint_annotation,
        maintenance_leases=usual.maintenance_leases
        if policy.maintenance_leases is None
        else policy.maintenance_leases,
        freezes=tuple(_entry(window) for window in policy.freezes),
        planned_work=tuple(_entry(window) for window in policy.planned_work),
    )


def roster(settings: Settings) -> Roster:
    """Return who may approve what; an action that is not named falls back on `default`."""
    named = settings.approvers.actions
    return Roster(
        groups={name: frozenset(people) for name, people in settings.approvers.groups.items()},
        actions={
            action: frozenset(named.get(action.value, named.get("default", ()))) for action in EXECUTABLE
        },
        slack_groups=frozenset(settings.slack.groups),
    )


def _entry(window: WindowSettings) -> CalendarEntry:
    return CalendarEntry(start=window.start, end=window.end, nodes=window.nodes)
