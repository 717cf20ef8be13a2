"""Takes a snapshot of all machines every few minutes, so that what a machine was before survives the machine."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from firstfault.agent.serve.work import Counters
from firstfault.agent.store import Store, StoreError
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.errors import KubeError
from firstfault.tools.kube.resources import NODES
from firstfault.tools.topology.machines import compact, machine_of


@dataclass(frozen=True, kw_only=True)
class Survey:
    """One look at the whole cluster, page by page. clock: aware UTC. said: takes one line for the operator."""

    store: Store
    door: Callable[[], ReadDoor]
    cluster: str
    clock: Callable[[], datetime]
    counters: Counters
    said: Callable[[str], None]

    def take(self) -> None:
        """Keep what the machines look like now, and of a list that broke off what came; never raises for the world."""
        try:
            door = self.door()
            try:
                found = door.gather(NODES, keep=compact)
            finally:
                door.close()
            machines = [machine_of(node) for node in found.items]
            changed = self.store.machines.record(self.cluster, machines, self.clock())
        except (KubeError, StoreError) as error:
            self._failed(str(error))
            return
        if found.problem is not None:
            self._failed(f"only {len(machines)} machines were seen: {found.problem}")
            return
        self.counters.counts["snapshots"] += 1
        self.counters.counts["snapshot_changes"] += changed

    def _failed(self, why: str) -> None:
        self.counters.counts["snapshots_failed"] += 1
        self.said(f"snapshot of the machines: {why}; trying again at the next turn")


class Turn(Protocol):
    """What is done again and again."""

    def take(self) -> None:
        """Do it once; never raises for the world."""
        ...


@dataclass(kw_only=True)
class Rounds:
    """Takes a turn again and again until it is told to stop. interval_s: from the end of one to the start of the next."""

    survey: Turn
    interval_s: float
    stopping: threading.Event = field(default_factory=threading.Event)

    def work(self) -> None:
        """Go on until `stop`."""
        self.survey.take()
        while not self.stopping.wait(self.interval_s):
            self.survey.take()

    def stop(self) -> None:
        """End `work`."""
        self.stopping.set()
