"""The audit chain as arithmetic: how an event is digested, and what a walk over a chain finds. No database here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from firstfault.agent.store.canon import canonical, digest, moment, storable
from firstfault.agent.store.signing import SigningKey

GENESIS = "0" * 64
"""What the first event has in place of a predecessor."""

HEAD_PURPOSE = "audit-head"
"""What signatures of the head are bound to, so that they are worth nothing elsewhere."""

MAX_FINDINGS = 100
"""How many findings are kept; the walk goes on to the end and counts the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """Something that happened and is to be written down.

    key: what makes it the same event when a stage runs again (with correlation_id and kind). at: aware UTC.
    causation_id: the digest of the event that led to this one. payload: JSON-safe, redacted by the caller.
    """

    correlation_id: str
    kind: str
    key: str
    at: datetime
    actor: str
    subject: str
    why: str
    payload: Mapping[str, object] = field(default_factory=dict[str, object])
    causation_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One event as it stands in the chain. at: canonical UTC text. payload: canonical JSON text."""

    seq: int
    correlation_id: str
    causation_id: str | None
    at: str
    actor: str
    kind: str
    key: str
    subject: str
    why: str
    payload: str
    digest: str
    prev_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """How long the chain is and what its last digest is, signed."""

    count: int
    digest: str
    key_id: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A position and digest known from outside the database: a report, an export, a ticket."""

    seq: int
    digest: str


class Finding(StrEnum):
    """What can be wrong with a chain."""

    CHANGED = "changed"
    MISSING = "missing"
    OUT_OF_ORDER = "out_of_order"
    UNLINKED = "unlinked"
    TAIL_MISSING = "tail_missing"
    TAIL_UNSIGNED = "tail_unsigned"
    HEAD_MISSING = "head_missing"
    HEAD_FORGED = "head_forged"
    HEAD_OTHER_KEY = "head_other_key"
    ANCHOR_MISMATCH = "anchor_mismatch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing wrong, where, and in words."""

    finding: Finding
    seq: int | None
    what: str


@dataclass(slots=True, kw_only=True)
class ChainCheck:
    """What a walk over the chain found. sound: nothing at all."""

    events: int = 0
    head_digest: str = GENESIS
    found: int = 0
    faults: list[Fault] = field(default_factory=list[Fault])

    @property
    def sound(self) -> bool:
        """Return whether every event is there, unchanged and in order, and the signed head says the same."""
        return self.found == 0

    def add(self, finding: Finding, seq: int | None, what: str) -> None:
        """Note one fault; beyond `MAX_FINDINGS` it is only counted."""
        self.found += 1
        if len(self.faults) < MAX_FINDINGS:
            self.faults.append(Fault(finding=finding, seq=seq, what=what))


def event_digest(event: AuditEvent) -> str:
    """Return the digest that `event` must have: over everything in it but the digest itself."""
    return digest(
        [
            event.seq,
            event.prev_digest,
            event.correlation_id,
            event.causation_id,
            event.at,
            event.actor,
            event.kind,
            event.key,
            event.subject,
            event.why,
            event.payload,
        ]
    )


def sign_head(key: SigningKey, count: int, last: str) -> Head:
    """Return the signed head of a chain of `count` events ending in digest `last`."""
    return Head(count=count, digest=last, key_id=key.id, signature=key.sign(HEAD_PURPOSE, [count, last]))


def head_verifies(key: SigningKey, head: Head) -> bool:
    """Return whether `head` was signed with `key`."""
    return key.verifies(HEAD_PURPOSE, [head.count, head.digest], head.signature)


def walk(
    events: Iterable[AuditEvent], head: Head | None, key: SigningKey, anchors: Iterable[Anchor] = ()
) -> ChainCheck:
    """Return what is wrong with a chain read in order of `seq`; memory stays flat."""
    check = ChainCheck()
    known = {anchor.seq: anchor.digest for anchor in anchors}
    last_seq = 0
    for event in events:
        _check_event(check, event, last_seq)
        expected = known.pop(event.seq, event.digest)
        if expected != event.digest:
            check.add(
                Finding.ANCHOR_MISMATCH, event.seq, f"event {event.seq} is not the one that was noted outside"
            )
        check.events += 1
        check.head_digest, last_seq = event.digest, max(last_seq, event.seq)
    for seq in sorted(known):
        check.add(Finding.ANCHOR_MISMATCH, seq, f"event {seq} was noted outside and is not here")
    _check_head(check, head, key, last_seq)
    return check


def check_end(last: AuditEvent | None, head: Head | None, key: SigningKey) -> ChainCheck:
    """Return what is wrong with the end of a chain alone: its last event, and the signed head. Takes the same time always."""
    check = ChainCheck(events=last.seq if last else 0, head_digest=last.digest if last else GENESIS)
    if last is not None and event_digest(last) != last.digest:
        check.add(Finding.CHANGED, last.seq, f"event {last.seq} was changed after it was written")
    _check_head(check, head, key, check.events)
    return check


def _check_event(check: ChainCheck, event: AuditEvent, last_seq: int) -> None:
    if event.seq <= last_seq:
        check.add(Finding.OUT_OF_ORDER, event.seq, f"event {event.seq} comes after event {last_seq}")
    elif event.seq > last_seq + 1:
        gap = (
            f"event {last_seq + 1} is"
            if event.seq == last_seq + 2
            else f"events {last_seq + 1}-{event.seq - 1} are"
        )
        check.add(Finding.MISSING, last_seq + 1, f"{gap} missing")
    if event_digest(event) != event.digest:
        check.add(Finding.CHANGED, event.seq, f"event {event.seq} was changed after it was written")
    if event.prev_digest != check.head_digest:
        check.add(Finding.UNLINKED, event.seq, f"event {event.seq} does not follow the event before it")


def _check_head(check: ChainCheck, head: Head | None, key: SigningKey, last_seq: int) -> None:
    if head is None:
        if check.events:
            check.add(
                Finding.HEAD_MISSING,
                None,
                "the signed head is missing: the end of the chain cannot be proved",
            )
        return
    if head.key_id != key.id:
        what = f"the head is signed with key {head.key_id}, this is key {key.id}: name the right key file"
        check.add(Finding.HEAD_OTHER_KEY, None, what)
    elif not head_verifies(key, head):
        check.add(Finding.HEAD_FORGED, None, "the signature of the head is not ours: the chain was rewritten")
    if last_seq < head.count:
        check.add(Finding.TAIL_MISSING, last_seq + 1, f"the last {head.count - last_seq} events are missing")
    elif last_seq > head.count:
        check.add(
            Finding.TAIL_UNSIGNED,
            head.count + 1,
            f"{last_seq - head.count} events stand after the signed head",
        )
    elif check.head_digest != head.digest:
        check.add(Finding.CHANGED, last_seq, f"event {last_seq} is not the one the signed head names")


def drafted(event: NewEvent, seq: int, prev_digest: str) -> AuditEvent:
    """Return `event` as it stands at position `seq`, with its digest; text is what every database can hold."""
    draft = AuditEvent(
        seq=seq,
        correlation_id=storable(event.correlation_id),
        causation_id=None if event.causation_id is None else storable(event.causation_id),
        at=moment(event.at),
        actor=storable(event.actor),
        kind=storable(event.kind),
        key=storable(event.key),
        subject=storable(event.subject),
        why=storable(event.why),
        payload=canonical(event.payload),
        digest="",
        prev_digest=prev_digest,
    )
    return replace(draft, digest=event_digest(draft))
