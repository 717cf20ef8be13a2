"""The loop behind the web front: assign, investigate one after the other, and outlive whatever an investigation raises."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime

from firstfault.agent.report.contract import Report
from firstfault.agent.serve.dispatch import Dispatcher
from firstfault.agent.store import StoreError

TICK_S = 1.0
"""How often is looked for incidents whose alerts have settled."""


@dataclass
class Counters:
    """What this process did, for /metrics."""

    counts: Counter[str] = field(default_factory=Counter[str])

    def text(self) -> str:
        """Return the counters in Prometheus' text format."""
        lines = [f"firstfault_{name}_total {count}" for name, count in sorted(self.counts.items())]
        return "\n".join([*lines, "firstfault_up 1", ""])


@dataclass(kw_only=True)
class Worker:
    """Runs the dispatcher until it is told to stop. said: takes one line for the operator."""

    dispatcher: Dispatcher
    counters: Counters
    clock: Callable[[], datetime]
    said: Callable[[str], None]
    wake: threading.Event = field(default_factory=threading.Event)
    stopping: threading.Event = field(default_factory=threading.Event)
    recovered: bool = False
    running: tuple[str, Future[Report]] | None = None

    @property
    def stands(self) -> str:
        """Return how the loop stands, in one line; `ok` when it looks for work and nothing is overdue."""
        if not self.recovered:
            return "has not yet taken up what an earlier process left"
        failed = [incident_id for incident_id, item in self.dispatcher.pending.items() if item.not_before]
        said = f"{self.running[0]} is being investigated" if self.running is not None else ""
        tried = f"{len(failed)} incidents failed and are tried again" if failed else ""
        return "; ".join(part for part in (said, tried) if part) or "ok"

    def work(self) -> None:
        """Go on until `stop`; the investigation that runs then is waited for."""
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="investigation") as pool:
            while not self.stopping.is_set():
                self.wake.wait(TICK_S)
                self.wake.clear()
                self.step(pool)
        self._collect()

    def stop(self) -> None:
        """End `work`."""
        self.stopping.set()
        self.wake.set()

    def step(self, pool: ThreadPoolExecutor) -> None:
        """Do what is to be done now. A database that does not answer is told, counted and asked again."""
        try:
            if not self.recovered:
                self.dispatcher.recover(self.clock())
                self.recovered = True
            self._collect()
            self.counters.counts["alerts_assigned"] += self.dispatcher.assign(self.clock())
            self.dispatcher.forget(self.clock())
        except StoreError as error:
            self.counters.counts["store_errors"] += 1
            self.said(f"{error}; trying again")
        self._start(pool)

    def _start(self, pool: ThreadPoolExecutor) -> None:
        due = self.dispatcher.due(self.clock())
        if self.running is not None or not due:
            return
        self.dispatcher.begin(due[0])
        future = pool.submit(self.dispatcher.run, due[0])
        self.running = (due[0], future)
        future.add_done_callback(lambda _: self.wake.set())

    def _collect(self) -> None:
        if self.running is None or not self.running[1].done():
            return
        incident_id, future = self.running
        self.running = None
        # Whatever it raised: an alert that was acknowledged must not stop the next one from being investigated.
        error = future.exception()
        if error is None:
            self.counters.counts["incidents_investigated"] += 1
            self.dispatcher.finish(incident_id, self.clock())
            return
        self.counters.counts["investigations_failed"] += 1
        wait_s = self.dispatcher.fail(incident_id, self.clock())
        reason = " ".join(str(error).split()) or "no reason given"
        when = "it stays open and is taken up at the next start"
        if wait_s is not None:
            when = f"trying again in {wait_s:.0f} s"
        else:
            self.counters.counts["investigations_given_up"] += 1
        self.said(f"{incident_id}: the investigation failed ({type(error).__name__}: {reason}); {when}")
