"""Killed at every moment of every plan, started again: the same end as without, no request made twice, no event doubled."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from firstfault.agent.executor.cluster import Cluster
from firstfault.agent.executor.service import Service
from firstfault.agent.executor.steps import Call
from firstfault.agent.store.executions import Executions
from firstfault.agent.store.ledger import Execution, Permit, StepRecord
from firstfault.agent.store.steps import Steps
from firstfault.policies.history import Ending
from firstfault.tools.kube.replies import Reply
from firstfault.tools.readings import Json
from tests.agent.executor.kit import Bench, is_full_run
from tests.agent.executor.remedies import REMEDIES, approvers_of, drained

MOST_MOMENTS = 40


class Killed(BaseException):
    """What nobody catches: the process is gone."""


class Reaper:
    """Counts moments, and kills at one of them."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.moments = 0

    def pass_by(self) -> None:
        self.moments += 1
        if self.moments == self.at:
            raise Killed


class MortalCluster:
    """A cluster whose caller may die just before a request is sent, and just after it was answered."""

    def __init__(self, cluster: Cluster, reaper: Reaper) -> None:
        self._cluster = cluster
        self._reaper = reaper

    def read(self, path: str) -> Reply:
        return self._cluster.read(path)

    def send(self, call: Call, body: Mapping[str, Json]) -> Reply:
        self._reaper.pass_by()
        reply = self._cluster.send(call, body)
        self._reaper.pass_by()
        return reply


class MortalSteps(Steps):
    """The journal's steps, whose writer may die before and after each note."""

    reaper: Reaper

    def note(self, step: StepRecord) -> None:
        self.reaper.pass_by()
        super().note(step)
        self.reaper.pass_by()


class MortalExecutions(Executions):
    """The ledger, whose writer may die before and after a run begins and ends."""

    reaper: Reaper

    def begin(self, permit: Permit, execution: Execution) -> None:
        self.reaper.pass_by()
        super().begin(permit, execution)
        self.reaper.pass_by()

    def end(self, execution_id: str, ending: Ending, why: str, at: datetime) -> None:
        self.reaper.pass_by()
        super().end(execution_id, ending, why, at)
        self.reaper.pass_by()


def mortal_service(bench: Bench, moment: int) -> Service:
    """Return a service that dies at one moment: around a request, or around a note in the journal."""
    reaper = Reaper(moment)
    bench.store.steps = MortalSteps(bench.store.database, bench.store.key)
    bench.store.executions = MortalExecutions(bench.store.database, bench.store.key)
    MortalSteps.reaper = MortalExecutions.reaper = reaper
    equipment = bench.equipment()
    return Service(replace(equipment, cluster=MortalCluster(equipment.cluster, reaper)))


def revive(bench: Bench) -> None:
    bench.store.steps = Steps(bench.store.database, bench.store.key)
    bench.store.executions = Executions(bench.store.database, bench.store.key)


MOMENTS = range(1, 24) if is_full_run() else (2, 5, 9, 14)


@pytest.mark.parametrize("name", sorted(REMEDIES))
def test_killed_again_and_again_it_ends_the_same(bench: Bench, name: str) -> None:
    """The first start dies at its first moment, the second at its second, and so on until one lives."""
    proposal = REMEDIES[name](bench)
    decision_id = bench.approved(proposal, approvers_of(proposal)).id
    deaths = 0
    for moment in range(1, MOST_MOMENTS):
        try:
            mortal_service(bench, moment).round()
            break
        except Killed:
            deaths += 1
    revive(bench)
    bench.service.round()

    assert bench.ending(decision_id).ending is Ending.DONE
    assert deaths > 1, name
    assert_nothing_twice(bench)


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_once_at_this_moment_it_ends_the_same(bench: Bench, moment: int) -> None:
    decision_id = bench.approved(drained(bench)).id
    with suppress(Killed):
        mortal_service(bench, moment).round()
    revive(bench)
    bench.service.round()

    assert bench.ending(decision_id).ending is Ending.DONE
    assert_nothing_twice(bench)


def assert_nothing_twice(bench: Bench) -> None:
    made = Counter((each.method, each.path, _without_version(each.body)) for each in bench.api.writes)
    assert max(made.values(), default=0) <= 1, made
    noted = Counter((event.correlation_id, event.kind, event.key) for event in bench.store.audit.events())
    assert max(noted.values()) == 1
    assert bench.store.audit.verify().sound


def _without_version(body: dict[str, Any]) -> str:
    metadata: dict[str, Any] = body.get("metadata", {})
    return str({**body, "metadata": {key: metadata[key] for key in metadata if key != "resourceVersion"}})
