"""Opens and closes breakers after what happened, and by the word of a named human; every change is in the audit."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from firstfault.agent.store import NewEvent, Store
from firstfault.policies import Limits
from firstfault.policies.breakers import CLUSTER, Breaker, BreakerState, Outage, reason_to_trip
from firstfault.policies.facts import FleetFacts
from firstfault.policies.history import Ending, PastAction

CORRELATION = "breakers"


def outages_of(fleet: FleetFacts) -> dict[str, Outage]:
    """Return how much of each scope is out, as the facts counted it; scopes that do not exist or are unknown are left out."""
    counted = {
        CLUSTER: (fleet.cluster_nodes, fleet.cluster_unavailable_after),
        f"pool/{fleet.pool}": (fleet.pool_nodes, fleet.pool_unavailable_after),
        f"rack/{fleet.rack}": (fleet.rack_nodes, fleet.rack_unavailable_after),
        f"switch/{fleet.switch}": (fleet.switch_nodes, fleet.switch_unavailable_after),
    }
    named = {scope: counts for scope, counts in counted.items() if not scope.endswith(("/", "/None"))}
    return {scope: Outage(nodes=nodes, unavailable=out) for scope, (nodes, out) in named.items()}


def judge_breakers(
    store: Store, scopes: Iterable[str], outages: Mapping[str, Outage], limits: Limits, now: datetime
) -> tuple[Breaker, ...]:
    """Open every breaker among `scopes` that has a reason to, close those whose trial went well; return what changed."""
    known = {breaker.scope: breaker for breaker in store.controls.breakers()}
    rows = store.executions.ledger()
    changed = [
        breaker
        for scope in sorted({CLUSTER, *scopes})
        if (breaker := _judged(known.get(scope), scope, rows, outages.get(scope, Outage()), limits, now))
        is not None
    ]
    for breaker in changed:
        _set(store, breaker)
    return tuple(changed)


def _judged(  # noqa: PLR0913, PLR0917  # one pure judgement over everything that counts
    known: Breaker | None,
    scope: str,
    rows: Iterable[PastAction],
    outage: Outage,
    limits: Limits,
    now: datetime,
) -> Breaker | None:
    since = known.since if known else None
    counted = [row for row in rows if since is None or row.at >= since]
    state = known.state if known else BreakerState.CLOSED
    if state is BreakerState.OPEN:
        return None
    mine = [
        row
        for row in counted
        if scope in {CLUSTER, row.target, *row.scopes} and row.ending is not Ending.RUNNING
    ]
    if state is BreakerState.HALF_OPEN:
        return _after_trial(scope, mine, now)
    why = reason_to_trip(scope, counted, outage, limits, now)
    return Breaker(scope=scope, state=BreakerState.OPEN, since=now, why=why, by="firstfault") if why else None


def _after_trial(scope: str, ended: list[PastAction], now: datetime) -> Breaker | None:
    if not ended:
        return None
    went_well = ended[-1].ending is Ending.DONE
    state = BreakerState.CLOSED if went_well else BreakerState.OPEN
    why = "the trial went well" if went_well else f"the trial ended {ended[-1].ending}"
    return Breaker(scope=scope, state=state, since=now, why=why, by="firstfault")


def set_by_human(store: Store, breaker: Breaker) -> None:
    """Set a breaker by the word of a named human. Raises ValueError without a name or a reason."""
    if not breaker.by.strip() or not breaker.why.strip():
        msg = "a breaker is set by somebody, for a reason: give --by and --why"
        raise ValueError(msg)
    _set(store, breaker)


def _set(store: Store, breaker: Breaker) -> None:
    event = NewEvent(
        correlation_id=CORRELATION,
        kind=f"breaker.{breaker.state}",
        key=f"{breaker.scope}@{breaker.since.isoformat()}",
        at=breaker.since,
        actor=breaker.by,
        subject=breaker.scope,
        why=breaker.why,
    )
    with store.together():
        store.controls.set_breaker(breaker)
        store.audit.append(event)
