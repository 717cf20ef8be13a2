"""Where each rank of a process group stands: what it enqueued and completed last, and what it waits in."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firstfault.tools.readings import Fact
from firstfault.tools.signals import Signal, Value

_DEFAULT_GROUP = "default"
_NAMES_OF_DEFAULT = ("0", "default_pg", "default", "undefined")
UNKNOWN_GROUP = ""
"""The group of lines that do not name one; never compared with others by sequence number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """An operation that a rank entered and did not come out of. ran_s: how long, when the line says so."""

    op: str
    seq: int | None = None
    sizes: tuple[int, ...] = ()
    ran_s: float | None = None
    signal: Signal | None = None
    fact: Fact | None = None


@dataclass(slots=True, kw_only=True)
class Standing:
    """One rank in one group. said: what it is known from, the most telling first. answered: it still spoke at the end."""

    rank: str
    enqueued: int | None = None
    completed: int | None = None
    wait: Wait | None = None
    answered: bool = False
    said: list[Signal | Fact] = field(default_factory=list[Signal | Fact])


@dataclass(slots=True, kw_only=True)
class Group:
    """One process group. members: the ranks that belong to it, as far as anything says."""

    name: str
    standings: dict[str, Standing] = field(default_factory=dict[str, Standing])
    members: frozenset[str] = frozenset()

    def of(self, rank: str) -> Standing:
        """Return the standing of `rank`, an empty one when it is met first."""
        return self.standings.setdefault(rank, Standing(rank=rank))

    @property
    def waiting(self) -> list[Standing]:
        """Return the standings of ranks that wait, by rank."""
        return sorted((each for each in self.standings.values() if each.wait is not None), key=by_rank)

    @property
    def usual_wait(self) -> Wait | None:
        """Return the operation that most ranks wait in, the later one when equal; None when nobody waits."""
        waits = [each.wait for each in self.waiting if each.wait is not None]
        counted = Counter((wait.seq if wait.seq is not None else -1, wait.op) for wait in waits)
        if not counted:
            return None
        most = max(counted, key=lambda key: (counted[key], key))
        return next(wait for wait in waits if (wait.seq if wait.seq is not None else -1, wait.op) == most)


def by_rank(standing: Standing) -> tuple[int, str]:
    """Return a key that orders ranks as people count them."""
    return (int(standing.rank) if standing.rank.isdigit() else 0), standing.rank


def groups_of(signals: Sequence[Signal], facts: Iterable[Fact]) -> dict[str, Group]:
    """Return the process groups that lines and flight-recorder dumps tell of, by name."""
    groups: dict[str, Group] = {}
    named = _groups_of_waits(signals)
    for signal in signals:
        rank = _text(signal, "rank")
        reader = _READERS.get(signal.name)
        if rank is None or reader is None:
            continue
        name = group_name(signal.attributes) or named.get((rank, signal.attributes.get("seq")), UNKNOWN_GROUP)
        reader(groups.setdefault(name, Group(name=name)).of(rank), signal)
    _add_dumps(groups, facts)
    return _merged(groups)


def group_name(attributes: Mapping[str, Value]) -> str:
    """Return one name for a group, however a version prints it: `0`, `0(default_pg)`, `PG 2`."""
    text = str(attributes.get("guid") or attributes.get("pg") or "").strip("'\"[]")
    name = text.split("(")[0].split(",")[0]
    is_default = name in _NAMES_OF_DEFAULT or "default_pg" in text
    return _DEFAULT_GROUP if is_default else name


def _groups_of_waits(signals: Iterable[Signal]) -> dict[tuple[str, Value | None], str]:
    """Return (rank, sequence number) → group, from the status lines that tell all three."""
    return {
        (str(signal.attributes["rank"]), signal.attributes.get("seq")): group_name(signal.attributes)
        for signal in signals
        if signal.name == "torch.pg_status" and "rank" in signal.attributes
    }


def _read_wait(standing: Standing, signal: Signal) -> None:
    ran_ms = _number(signal, "ran_ms")
    sizes = tuple(size for key in ("numel_in", "numel_out") if (size := _number(signal, key)) is not None)
    wait = Wait(
        op=str(signal.attributes.get("op", "")).upper(),
        seq=_number(signal, "seq"),
        sizes=sizes,
        ran_s=None if ran_ms is None else ran_ms / 1000,
        signal=signal,
    )
    earlier = standing.wait
    if earlier is None or (wait.seq is not None and earlier.seq is not None and wait.seq < earlier.seq):
        standing.wait = wait
    standing.said.append(signal)


def _read_counters(standing: Standing, signal: Signal) -> None:
    enqueued, completed = _number(signal, "enqueued"), _number(signal, "completed")
    standing.enqueued = enqueued if standing.enqueued is None else max(standing.enqueued, enqueued or 0)
    standing.completed = completed if standing.completed is None else max(standing.completed, completed or 0)
    standing.answered = True
    standing.said.insert(0, signal)


_READERS = {
    "nccl.watchdog_timeout": _read_wait,
    "torch.pg_status": _read_counters,
    "torch.pg_dump_signal": _read_counters,
}


def _add_dumps(groups: dict[str, Group], facts: Iterable[Fact]) -> None:
    """Add what flight-recorder dumps say; the first operation that did not complete is what a rank waits in."""
    for fact in facts:
        if fact.entity is None or not fact.name.startswith("flight."):
            continue
        name = group_name({"pg": fact.labels.get("group") or fact.labels.get("process_group") or ""})
        standing = groups.setdefault(name, Group(name=name)).of(fact.entity.name)
        standing.answered = True
        if fact.name == "flight.last_enqueued" and isinstance(fact.value, int):
            standing.enqueued = fact.value
            standing.said.insert(0, fact)
        elif fact.name == "flight.last_completed" and isinstance(fact.value, int):
            standing.completed = fact.value
        elif fact.name == "flight.entry":
            wait = _dumped_wait(fact)
            if standing.wait is None or (standing.wait.seq or 0) > (wait.seq or 0):
                standing.wait = wait
            standing.said.append(fact)


def _dumped_wait(fact: Fact) -> Wait:
    seq = fact.labels.get("collective_seq_id", "")
    op = fact.labels.get("profiling_name", "").rpartition(":")[2].upper().strip("_")
    sizes = tuple(_volume(text) for text in fact.labels.get("input_sizes", "").split(",") if text)
    return Wait(op=op.replace("_", ""), seq=int(seq) if seq.isdigit() else None, sizes=sizes, fact=fact)


def _volume(text: str) -> int:
    volume = 1
    for side in text.split("x"):
        volume *= int(side) if side.isdigit() else 1
    return volume


def _merged(groups: dict[str, Group]) -> dict[str, Group]:
    """Give lines without a group to the only group there is."""
    named = [name for name in groups if name != UNKNOWN_GROUP]
    if UNKNOWN_GROUP not in groups or len(named) != 1:
        return groups
    target, nameless = groups[named[0]], groups.pop(UNKNOWN_GROUP)
    for rank, standing in nameless.standings.items():
        known = target.standings.get(rank)
        if known is None:
            target.standings[rank] = standing
        else:
            known.wait = known.wait or standing.wait
            known.said.extend(standing.said)
    return groups


def worlds(groups: Mapping[str, Group], signals: Iterable[Signal], facts: Iterable[Fact]) -> dict[str, Group]:
    """Return the groups with their members, where they can be known.

    The default group holds all ranks: as many as a communicator or a dump says, else all from 0 to the highest that
    spoke, for ranks are numbered without gaps. Other groups are known from dumps only.
    """
    spoke = {str(signal.attributes["rank"]) for signal in signals if "rank" in signal.attributes}
    told = [count for signal in signals if (count := _number(signal, "nranks")) is not None]
    dumped: dict[str, frozenset[str]] = defaultdict(frozenset)
    for fact in facts:
        if fact.name == "flight.group_ranks":
            name = group_name({"pg": fact.labels.get("group", "")})
            dumped[name] |= {
                word
                for word in str(fact.value).replace("[", "").replace("]", "").replace(" ", "").split(",")
                if word
            }
    highest = max((int(rank) for rank in spoke if rank.isdigit()), default=-1)
    everybody = frozenset(str(rank) for rank in range(max([*told, highest + 1])))
    found: dict[str, Group] = {}
    for name, group in groups.items():
        is_world = name in {_DEFAULT_GROUP, UNKNOWN_GROUP}
        found[name] = replace(group, members=dumped.get(name) or (everybody if is_world else frozenset()))
    return found


def _number(signal: Signal, key: str) -> int | None:
    value = signal.attributes.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(signal: Signal, key: str) -> str | None:
    value = signal.attributes.get(key)
    return None if value is None else str(value)
