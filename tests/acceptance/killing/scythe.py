"""Counts what an executor does, in order, and sends it SIGKILL at one exact moment, before or after that takes effect."""

import os
import signal
import threading
from dataclasses import dataclass, field
from enum import StrEnum

from firstfault.evals.sim.kube_api import KubeApi
from firstfault.evals.sim.kube_faults import Fault, Trouble
from firstfault.evals.sim.kube_requests import Asked


class Side(StrEnum):
    """Whether what the process had asked for took effect before it died."""

    BEFORE = "before"
    AFTER = "after"


class Kind(StrEnum):
    """What an executor asks others for."""

    READ = "read"
    WRITE = "write"
    COMMIT = "commit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One moment of a run: the n-th thing asked for since its permit was written (which is the 0th)."""

    number: int
    side: Side


@dataclass(kw_only=True)
class Scythe:
    """What kills. Nothing is counted before the first commit: a run begins with its permit.

    moment: when to kill; None never. seen: everything that was asked for, in order.
    """

    moment: Moment | None = None
    seen: list[Kind] = field(default_factory=list[Kind])
    has_struck: bool = False
    _pid: int | None = None
    _known: threading.Event = field(default_factory=threading.Event)

    def aim(self, pid: int) -> None:
        """Say which process it is for."""
        self._pid = pid
        self._known.set()

    def passing(self, kind: Kind) -> Side | None:
        """Count, and return on which side of this the process is to die; None when it lives on."""
        if self.has_struck or (kind is not Kind.COMMIT and not self.seen):
            return None
        number = len(self.seen)
        self.seen.append(kind)
        return self.moment.side if self.moment is not None and self.moment.number == number else None

    def strike(self) -> None:
        """Kill."""
        self._known.wait()
        assert self._pid is not None
        os.kill(self._pid, signal.SIGKILL)
        self.has_struck = True


class DeadlyApi(KubeApi):
    """An API server that kills who asks, as its scythe says."""

    scythe: Scythe

    def trouble_for(self, asked: Asked) -> Fault | None:
        """Return the death of who asks, or what else was planned."""
        with self.store.lock:
            side = self.scythe.passing(Kind.READ if asked.method == "GET" else Kind.WRITE)
        planned = super().trouble_for(asked)
        if side is None:
            return planned
        is_lost = side is Side.BEFORE or planned is not None  # what is refused is not applied either
        trouble = Trouble.DROP_BEFORE if is_lost else Trouble.DROP_AFTER
        return Fault(trouble=trouble, strike=self.scythe.strike)
