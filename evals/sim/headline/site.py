"""The cluster of the incident: machines, where they hang, how wrong their clocks are, and which rank runs where."""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

GPUS = 8
PER_SWITCH = 32
PER_RACK = 4
PER_SPINE = 8 * PER_SWITCH
BUS_IDS = ("19", "3b", "4c", "5d", "9b", "bb", "cb", "db")
"""Where the eight GPUs of one common kind of machine sit on the PCIe bus."""
WORST_CLOCK_S = 4.0
"""How far the clock of a machine may be off: NTP to a busy server over a loaded link."""
STUCK_AT = datetime(2026, 11, 30, 2, 47, 12, tzinfo=UTC)
"""When the ranks enter the operation that nobody comes out of."""
TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine. clock_s: how far its clock is ahead."""

    number: int
    clock_s: float

    @property
    def name(self) -> str:
        """Return its host name, which is its name in Kubernetes too."""
        return f"gpu-{self.number:05d}"

    @property
    def pod(self) -> str:
        """Return the pod of the job that runs on it."""
        return f"pretrain-worker-{self.number}"

    @property
    def ranks(self) -> range:
        """Return the ranks that run on it, one for each GPU."""
        return range(self.number * GPUS, (self.number + 1) * GPUS)

    @property
    def leaf(self) -> str:
        """Return the leaf switch that it hangs on."""
        return f"leaf-{self.number // PER_SWITCH:02d}"

    @property
    def address(self) -> str:
        """Return its address in the fabric."""
        return f"10.{64 + self.number // 62_500}.{self.number // 250 % 250}.{self.number % 250 + 1}"

    def clock(self, at: datetime) -> datetime:
        """Return what its clock shows at the true time `at`."""
        return at + timedelta(seconds=self.clock_s)

    def true(self, shown: datetime) -> datetime:
        """Return the true time at which its clock showed `shown`."""
        return shown - timedelta(seconds=self.clock_s)

    def iso(self, at: datetime) -> str:
        """Return what its clock shows as the journal prints it."""
        return self.clock(at).isoformat(timespec="microseconds")


@dataclass(frozen=True, kw_only=True)
class Site:
    """A cluster that one job fills."""

    seed: int
    machines: int

    @property
    def ranks(self) -> int:
        """Return how many ranks the job has."""
        return self.machines * GPUS

    @cached_property
    def all(self) -> tuple[Machine, ...]:
        """Return every machine, by number."""
        chance = self.chance("clocks")
        return tuple(
            Machine(number=number, clock_s=round(chance.uniform(-WORST_CLOCK_S, WORST_CLOCK_S), 3))
            for number in range(self.machines)
        )

    def machine_of(self, rank: int) -> Machine:
        """Return the machine that `rank` runs on."""
        return self.all[rank // GPUS]

    def chance(self, what: str) -> random.Random:
        """Return the dice for one thing, which no other thing shares: leaving one out changes nothing else."""
        return random.Random(f"{self.seed}/{what}")  # noqa: S311 - a reproducible story, no secrets
