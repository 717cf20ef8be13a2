"""What failed first, by seed, and what a right answer says."""

from dataclasses import dataclass
from enum import StrEnum

from firstfault.evals.sim.headline.site import GPUS, PER_SWITCH, Machine, Site


class Root(StrEnum):
    """The fault that came first. The seed chooses in this order, and begins anew after the last."""

    OFF_BUS = "off_bus"
    """A GPU falls off the PCIe bus (Xid 79), its rank is silent."""
    NVLINK = "nvlink"
    """An NVLink of one GPU fails (Xid 74), its rank is silent."""
    SWITCH = "switch"
    """A leaf switch loses its ports: all its machines lose a link within seconds, none of them is broken."""
    OUT_OF_MEMORY = "out_of_memory"
    """One rank wants more GPU memory than there is."""
    STORAGE = "storage"
    """The file server of one machine's mount does not answer: a rank waits for data."""
    STRAGGLER = "straggler"
    """One rank never enqueues the operation and says nothing of why."""
    NOTHING_SEEN = "nothing_seen"
    """All ranks wait in the same operation with the same counters; no machine reports anything."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """What happened. rank: the one whose own fault it is, None when it is of many or of none."""

    site: Site
    root: Root
    rank: int | None
    machines: frozenset[int]

    @classmethod
    def of(cls, site: Site) -> "Story":
        """Return the story that the seed of `site` tells."""
        root = tuple(Root)[site.seed % len(Root)]
        rank = site.chance("root").randrange(GPUS, site.ranks)
        number = rank // GPUS
        if root is Root.NOTHING_SEEN:
            return cls(site=site, root=root, rank=None, machines=frozenset())
        if root is Root.SWITCH:
            first = number // PER_SWITCH * PER_SWITCH
            behind = range(first, min(first + PER_SWITCH, site.machines))
            return cls(site=site, root=root, rank=None, machines=frozenset(behind))
        return cls(site=site, root=root, rank=rank, machines=frozenset({number}))

    @property
    def machine(self) -> Machine | None:
        """Return the machine at fault, None when it is not one."""
        return None if self.rank is None else self.site.machine_of(self.rank)

    @property
    def leaf(self) -> str:
        """Return the leaf switch above the affected machines."""
        return self.site.all[min(self.machines)].leaf

    def is_silent(self, rank: int) -> bool:
        """Return whether a rank stops without a word."""
        return rank == self.rank and self.root in {Root.OFF_BUS, Root.NVLINK, Root.STORAGE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a right report says.

    failure_class, owner: None where a guess is as good as another, as long as the verdict says that it is one.
    places: names of which one must be in the culprit or in the first fault. shared: the only thing said to be shared.
    """

    failure_class: str | None
    owner: str | None
    verdicts: tuple[str, ...] = ("CONFIRMED", "LIKELY")
    places: tuple[str, ...] = ()
    shared: str | None = None


def answer_of(story: Story) -> Answer:
    """Return what a right report on `story` says."""
    where = story.machine.name if story.machine is not None else ""
    rank = str(story.rank)
    return {
        Root.OFF_BUS: lambda: Answer(failure_class="gpu.fell_off_bus", owner="platform", places=(where,)),
        Root.NVLINK: lambda: Answer(failure_class="nvlink.link_fault", owner="platform", places=(where,)),
        Root.SWITCH: lambda: Answer(
            failure_class="network.switch_fault", owner="platform", places=(story.leaf,), shared=story.leaf
        ),
        Root.OUT_OF_MEMORY: lambda: Answer(
            failure_class="application.gpu_out_of_memory", owner="application", places=(rank, where)
        ),
        Root.STORAGE: lambda: Answer(
            failure_class="storage.unavailable", owner="platform", places=("filer-03", where)
        ),
        Root.STRAGGLER: lambda: Answer(
            failure_class="application.stall", owner="application", places=(rank,)
        ),
        Root.NOTHING_SEEN: lambda: Answer(failure_class=None, owner=None, verdicts=("INCONCLUSIVE",)),
    }[story.root]()
