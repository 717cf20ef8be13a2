"""Where a rank runs: rank → host, pod, node and GPU, as far as lines of that rank or its dumps say."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.signals import Signal, Value


@dataclass(slots=True, kw_only=True)
class Path:
    """What is known of where one rank runs. None = not said."""

    host: str | None = None
    node: str | None = None
    pod: str | None = None
    gpu: str | None = None
    bus_id: str | None = None

    @property
    def attributes(self) -> dict[str, Value]:
        """Return what a signal about the rank carries."""
        pairs = (
            ("host", self.host),
            ("node", self.node),
            ("pod", self.pod),
            ("local_gpu", self.gpu),
            ("bus_id", self.bus_id),
        )
        return {key: value for key, value in pairs if value is not None}


@dataclass(slots=True, kw_only=True)
class Paths:
    """The paths of all ranks that said something."""

    of_rank: dict[str, Path] = field(default_factory=dict[str, Path])

    @staticmethod
    def of(signals: Iterable[Signal]) -> "Paths":
        """Return the paths that `signals` tell; the first statement about a rank counts."""
        found = Paths()
        for signal in signals:
            rank = signal.attributes.get("rank")
            if rank is not None:
                _learn(found.of_rank.setdefault(str(rank), Path()), signal)
        return found

    def entity(self, rank: str) -> EntityRef:
        """Return the rank as an entity, with its node when it is known."""
        path = self.of_rank.get(rank, Path())
        return EntityRef(kind=EntityKind.RANK, name=rank, node=path.node or path.host)

    def attributes(self, rank: str) -> dict[str, Value]:
        """Return where the rank runs, for the attributes of a signal."""
        return self.of_rank.get(rank, Path()).attributes


def _learn(path: Path, signal: Signal) -> None:
    said = signal.attributes
    path.host = path.host or _text(said.get("host"))
    path.node = path.node or signal.entity.node or _text(said.get("node"))
    path.pod = path.pod or _text(said.get("pod"))
    path.gpu = (
        path.gpu
        or _text(said.get("cuda_dev"))
        or _text(said.get("local_gpu"))
        or _text(said.get("local_rank"))
    )
    path.bus_id = path.bus_id or _text(said.get("bus_id"))


def _text(value: Value | None) -> str | None:
    return None if value is None else str(value)
