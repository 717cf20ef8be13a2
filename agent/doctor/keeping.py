"""Rows for what firstfault keeps: its database, and the snapshots of machines that `firstfault serve` takes. Pure."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from firstfault.agent.doctor.finding import Finding, State
from firstfault.agent.store.machines import Snapshots
from firstfault.agent.store.standing import Room, StoreStanding
from firstfault.tools.probes import age_in_words

FULL_BYTES = 200 * 1024 * 1024
"""Less room than this is a failure: one incident of a large cluster may not fit any more. Ours."""
TIGHT_BYTES = 2 * 1024 * 1024 * 1024
"""Less room than this is a warning. Ours: about what a thousand incidents leave."""
TURNS_MISSED = 3
"""Snapshots are late when none came for so many turns: one may fail, and a large cluster takes its time."""
_NOT_KEPT = "nothing can be kept: alerts are answered with 503"
_BEFORE = "which driver, firmware, labels and switch a machine had before a fault"


def database_rows(store: StoreStanding) -> Iterator[Finding]:
    """Yield how the database stands, its audit, and the room on its disk."""
    if store.problem is None:
        said = f"{store.what}, schema {store.schema}, takes writes"
        yield Finding(part="database", state=State.OK, said=said)
        yield _audit(store)
    else:
        yield Finding(
            part="database",
            state=State.FAIL,
            said=store.problem,
            blind=_NOT_KEPT,
            remedy="look at `database_url`, the state folder and the signing key",
        )
    if store.room is not None:
        yield _room(store.room)


def _audit(store: StoreStanding) -> Finding:
    if not store.audit:
        said = f"{store.events} events, the signed head is that of the last; `firstfault audit verify` walks them all"
        return Finding(part="database audit", state=State.OK, said=said)
    return Finding(
        part="database audit",
        state=State.FAIL,
        said="; ".join(store.audit),
        blind="whether what the audit says was done is what was done; nothing can be added to it",
        remedy="`firstfault audit verify` tells what was changed; then name the right key, or restore a backup",
    )


def _room(room: Room) -> Finding:
    share = f"{_size(room.free_bytes)} of {_size(room.total_bytes)} free at {room.folder}"
    if room.free_bytes >= TIGHT_BYTES:
        return Finding(part="database disk", state=State.OK, said=share)
    return Finding(
        part="database disk",
        state=State.FAIL if room.free_bytes < FULL_BYTES else State.WARN,
        said=share,
        blind=f"once it is full {_NOT_KEPT}",
        remedy="free the disk, or `firstfault db prune` with a shorter [retention]",
    )


def _size(count: int) -> str:
    gibibytes = count / 1024**3
    return f"{gibibytes:.1f} GiB" if gibibytes >= 1 else f"{count / 1024**2:.0f} MiB"


def snapshot_row(kept: Snapshots | None, every_s: int, now: datetime) -> Finding:
    """Return whether snapshots of machines are taken, how old the newest is, and of how many. every_s: 0 is never."""
    part = "snapshots"
    if kept is None:
        never = "`kubernetes.snapshot_every_s` is 0" if every_s == 0 else "none was taken yet"
        remedy = (
            "set `kubernetes.snapshot_every_s`" if every_s == 0 else "start `firstfault serve`: it takes them"
        )
        return Finding(part=part, state=State.WARN, said=never, blind=_BEFORE, remedy=remedy)
    age = now - kept.newest
    told = f"{kept.machines} machines {age_in_words(age)} ago, kept since {kept.oldest:%Y-%m-%d %H:%M} UTC"
    if every_s == 0:
        said = f"{told}; none is taken any more: `kubernetes.snapshot_every_s` is 0"
        return Finding(
            part=part, state=State.WARN, said=said, blind=_BEFORE, remedy="set `kubernetes.snapshot_every_s`"
        )
    if age.total_seconds() > TURNS_MISSED * every_s:
        said = f"{told}; one is due every {age_in_words(timedelta(seconds=every_s))}"
        remedy = "see that `firstfault serve` runs, and what it says of snapshots on stderr"
        return Finding(part=part, state=State.WARN, said=said, blind=_BEFORE, remedy=remedy)
    if kept.machines == 0:
        remedy = "see that this account may list nodes (`kubernetes reads` above)"
        return Finding(part=part, state=State.WARN, said=told, blind=_BEFORE, remedy=remedy)
    return Finding(part=part, state=State.OK, said=told)
