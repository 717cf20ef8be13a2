"""Suspects from errors: the rank that failed before anybody waited, and the end of the path that most cannot reach."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from firstfault.agent.correlate.collectives.making import made
from firstfault.agent.correlate.collectives.paths import Paths
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.signals import Signal, Value
from firstfault.tools.times import Order, order

_HARDWARE = frozenset(
    {"cuda.ecc_uncorrectable", "cuda.nvlink_uncorrectable", "cuda.contained", "cuda.unknown_error"}
)
_OWN = frozenset(
    {
        "app.exception", "app.data_loader_died", "app.bus_error", "app.shm_full", "app.checkpoint_failed", "app.killed",
        "cuda.out_of_memory", "cuda.illegal_address", "cuda.illegal_instruction", "cuda.misaligned_address",
        "cuda.device_assert", "cuda.launch_failure", "cuda.no_device", "cuda.driver_mismatch", "nccl.shm_failed",
        "nccl.cuda_failure", "storage.enospc", "storage.io_error", "storage.stale_handle", "storage.read_only",
    }
)  # fmt: skip
"""Failures that a rank meets by itself."""
_CONSEQUENCE = re.compile(
    r"(?i)\bnccl\b|\bgloo\b|DistBackendError|DistStoreError|ChildFailedError|Watchdog|Connection (?:closed|reset)|Broken pipe"
    r"|socket|TCPStore|timed? ?out|SIGTERM|SignalException|KeyboardInterrupt"
)
"""Exceptions that speak of others: what a rank says when somebody else has gone."""
_WAITS = ("nccl.watchdog_timeout", "torch.pg_status", "torch.heartbeat_stuck", "jax.coordination_lost")
_FLUSHED = 5
"""IBV_WC_WR_FLUSH_ERR: work thrown away after another error, says nothing about the path."""


def failures(signals: Sequence[Signal], paths: Paths) -> Iterator[Signal]:
    """Yield the first own failure of the run, when it came before every wait, and the peers that most cannot reach."""
    yield from _crash(signals, paths)
    yield from _unreachable(signals)
    yield from _broken_ports(signals)
    yield from _absent_tasks(signals)


def _crash(signals: Sequence[Signal], paths: Paths) -> Iterator[Signal]:
    own = [signal for signal in signals if _is_own(signal)]
    waits = [signal for signal in signals if signal.name in _WAITS]
    if not own or not waits:
        return
    first = own[0]
    for candidate in own[1:]:
        if order(candidate.stamp, first.stamp) is Order.BEFORE:
            first = candidate
    first = min((each for each in own if _same_line(each, first)), key=_vagueness)
    if any(order(first.stamp, wait.stamp) is not Order.BEFORE for wait in waits):
        return
    speaker = first.attributes.get("rank")
    entity = paths.entity(str(speaker)) if speaker is not None else first.entity
    is_hardware = first.name in _HARDWARE
    attributes: dict[str, Value] = {
        "kind": "hardware" if is_hardware else "crash",
        "failure": first.name,
        "ranks_waiting": len(waits),
    }
    if speaker is not None:
        attributes.update(rank=str(speaker), **paths.attributes(str(speaker)))
    yield made(
        "collective.hardware" if is_hardware else "collective.crashed_rank",
        entity,
        [first, waits[0]],
        attributes,
    )


def _same_line(one: Signal, other: Signal) -> bool:
    return (one.evidence.path, one.evidence.line_start) == (other.evidence.path, other.evidence.line_start)


def _vagueness(signal: Signal) -> tuple[bool, bool, str]:
    """Return a key that is smaller the more a signal says: of one line, the error of the GPU before the exception."""
    return signal.name not in _HARDWARE, signal.name == "app.exception", signal.name


def _is_own(signal: Signal) -> bool:
    if signal.said_by_human:
        return False
    if signal.name == "app.exception":
        text = f"{signal.attributes.get('exc', '')} {signal.attributes.get('what', '')} {signal.evidence.excerpt}"
        return not _CONSEQUENCE.search(text)
    if signal.name == "nccl.cuda_failure":
        return "unhandled" not in str(signal.attributes.get("error", ""))
    return signal.name in _OWN or signal.name in _HARDWARE


def _unreachable(signals: Sequence[Signal]) -> Iterator[Signal]:
    """Yield the peer that most hosts report; flushed work does not vote, and one report may as well be its own path."""
    votes: dict[str, dict[str, Signal]] = defaultdict(dict)
    for signal in signals:
        peer, status = signal.attributes.get("peer"), signal.attributes.get("status")
        if signal.name == "nccl.ib_completion_error" and peer is not None and status != _FLUSHED:
            reporter = str(
                signal.attributes.get("host") or signal.attributes.get("rank") or signal.evidence.path
            )
            votes[str(peer)].setdefault(reporter, signal)
    if not votes:
        return
    most = max(len(reporters) for reporters in votes.values())
    leading = sorted(peer for peer, reporters in votes.items() if len(reporters) == most)
    if len(leading) > 1 and len(leading) == len(votes) and most == 1:
        return
    for peer in leading:
        said = sorted(votes[peer].values(), key=lambda each: (each.evidence.path, each.evidence.line_start))
        attributes: dict[str, Value] = {
            "kind": "network",
            "peer": peer,
            "votes": most,
            "peers_named": len(votes),
        }
        yield made("collective.network", EntityRef(kind=EntityKind.NODE, name=peer), said, attributes)


def _broken_ports(signals: Sequence[Signal]) -> Iterator[Signal]:
    """Yield the hosts whose own adapter reported an event of its port or device."""
    for signal in signals:
        event = str(signal.attributes.get("event", ""))
        host = signal.attributes.get("host")
        if (
            signal.name == "nccl.ib_async_event"
            and host is not None
            and re.search(r"port error|device fatal|port err", event)
        ):
            attributes: dict[str, Value] = {
                "kind": "network",
                "event": event,
                "own_port": True,
                "times": signal.count,
            }
            yield made(
                "collective.network", EntityRef(kind=EntityKind.NODE, name=str(host)), [signal], attributes
            )


def _absent_tasks(signals: Sequence[Signal]) -> Iterator[Signal]:
    """Yield the tasks that a JAX barrier waited for in vain."""
    for signal in signals:
        task = str(signal.attributes.get("task", "")).rpartition(":")[2]
        if signal.name == "jax.coordination_lost" and task.isdigit():
            attributes: dict[str, Value] = {"rank": task, "kind": "silent"}
            yield made(
                "collective.silent_rank", EntityRef(kind=EntityKind.RANK, name=task), [signal], attributes
            )
