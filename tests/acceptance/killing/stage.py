"""One remedy, approved and ready to run: a database and a cluster that are copied for every run, and what a run left."""

import json
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from firstfault.agent.gate.files import load_limits
from firstfault.agent.ledger.writing import move_cell
from firstfault.agent.store import Store, open_store
from firstfault.agent.store.turns import EXECUTOR_LOCK
from firstfault.evals.sim.kube_api import KubeApi
from firstfault.evals.sim.kube_controllers import CONTROLLERS
from firstfault.evals.sim.kube_faults import Fault
from firstfault.evals.sim.kube_kinds import CUSTOM
from firstfault.evals.sim.kube_store import ObjectStore
from firstfault.policies.history import Ending
from tests.acceptance.executor_site import environment, executor_role, now, promotion
from tests.acceptance.killing.scythe import DeadlyApi, Kind, Moment, Scythe
from tests.acceptance.killing.way import Way
from tests.acceptance.killing.zygote import Zygote
from tests.agent.executor.kit import Bench, ScriptedClock, load_cluster
from tests.agent.executor.remedies import REMEDIES, approvers_of, refused
from tests.postgres import fresh_database

PLAYED = {**REMEDIES, "drain_node, taken back": refused}
ONE_FAILURE_OPENS = {"FIRSTFAULT_LIMITS__BREAKER_FAILURES_IN_A_ROW": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What is copied. template: the name of the database with the approved decision; role: who the executor is there."""

    folder: Path
    server: str
    template: str
    role: str
    decision_id: str
    objects: ObjectStore
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What is there after a run, but for the times of the rows. said: what the executor said, for a failure's sake."""

    ending: Ending
    objects: str
    requests: Counter[str]
    events: Counter[tuple[str, str, str]]
    steps: tuple[tuple[object, ...], ...]
    breakers: frozenset[tuple[str, str]]
    is_sound: bool


@contextmanager
def staged(name: str, server: str, template: str, folder: Path) -> Generator[Stage]:
    """Give the stage of one remedy."""
    state = folder / "state" / "firstfault"
    with KubeApi(served=CUSTOM) as api, fresh_database(server, template) as url:
        load_cluster(api)
        api.store.react(*CONTROLLERS)
        with open_store(state, url=url) as store:
            bench = Bench(api=api, store=store, folder=folder, clock=ScriptedClock(now()))
            bench.limits = load_limits(None, ONE_FAILURE_OPENS)
            proposal = PLAYED[name](bench)
            for failure_class, action in bench.cells:
                move_cell(store, state, promotion(action, failure_class))
            made, ends = now() - timedelta(seconds=5), now() + timedelta(hours=1)
            asked = replace(proposal, proposed_at=made, expires_at=ends)
            decision_id = bench.approved(asked, approvers_of(asked)).id
        yield Stage(
            folder=folder,
            server=server,
            template=str(conninfo_to_dict(url)["dbname"]),
            role=str(conninfo_to_dict(executor_role(url))["user"]),
            decision_id=decision_id,
            objects=api.store,
            faults=tuple(api.faults),
        )


def played(stage: Stage, zygote: Zygote, moment: Moment | None) -> tuple[Left, list[Kind]]:
    """Return what a run left that was killed at `moment`, if any, and started again; and what it asked for until then."""
    scythe = Scythe(moment=moment)
    with (
        fresh_database(stage.server, stage.template) as url,
        Way(url.replace("//postgres:@", f"//{stage.role}:@", 1), scythe) as way,
        DeadlyApi(served=CUSTOM, store=stage.objects.copied()) as api,
        open_store(stage.folder / "state" / "firstfault", url=url) as store,
    ):
        api.scythe = scythe
        api.faults.extend(stage.faults)
        surroundings = environment(stage.folder, way.url, api.url) | ONE_FAILURE_OPENS
        scythe.aim(zygote.start(surroundings))
        code, said = zygote.wait()
        if moment is not None:
            assert code == -9, f"it lived through {moment}: {said}"  # SIGKILL
            _wait_for_its_turn(url)
            zygote.start(surroundings)
            code, said = zygote.wait()
        assert code == 0, said
        return _left(stage, store, api), scythe.seen


def _wait_for_its_turn(url: str) -> None:
    """Return when Postgres has noticed that the dead executor is gone."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [EXECUTOR_LOCK])


def _left(stage: Stage, store: Store, api: KubeApi) -> Left:
    execution = store.executions.of_decision(stage.decision_id)
    assert execution is not None, "nothing has begun"
    return Left(
        ending=execution.ending,
        objects=json.dumps(api.store.dump(), sort_keys=True),
        requests=Counter(
            f"{each.method} {each.path} {json.dumps(each.body, sort_keys=True)}" for each in api.writes
        ),
        events=Counter(
            (event.correlation_id, event.kind, event.key.partition("@")[0]) for event in store.audit.events()
        ),
        steps=tuple((row.position, row.way, row.state) for row in store.steps.of(execution.id)),
        breakers=frozenset((each.scope, each.state.value) for each in store.controls.breakers()),
        is_sound=store.audit.verify().sound,
    )
