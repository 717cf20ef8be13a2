"""The moments of a run in words: where in a step a process dies, worked out from what it asks for, in order."""

from collections.abc import Sequence

from tests.acceptance.killing.scythe import Kind, Moment, Side

BEGINNING = "before its permit is written"
PERMITTED = "permit written, no step begun"
LOOKING = "step begun, looking"
READY = "before the write leaves"
SENT = "write sent, not applied"
APPLIED = "applied, answer not read"
VERIFYING = "answer read, verifying"
VERIFIED = "verified, not yet recorded"
BETWEEN = "between two steps"
RECORDED = "last step recorded, run not ended"
ENDED = "run ended"


def moments(seen: Sequence[Kind]) -> dict[Moment, str]:
    """Return every moment of a run that asked for `seen`, with its words.

    Dying before a read and after it is the same to everybody else, so that reads have one side only.
    """
    found: dict[Moment, str] = {}
    last = max(number for number, kind in enumerate(seen) if kind is not Kind.COMMIT)
    for number, kind in enumerate(seen):
        for side in Side if kind is not Kind.READ else (Side.BEFORE,):
            found[Moment(number=number, side=side)] = _word(seen, number, side, last)
    return found


def _word(seen: Sequence[Kind], number: int, side: Side, last: int) -> str:
    is_before = side is Side.BEFORE
    if seen[number] is Kind.WRITE:
        return SENT if is_before else APPLIED
    if seen[number] is Kind.COMMIT:
        return _word_of_commit(number, last, is_before=is_before, is_seen=seen[number - 1] is not Kind.COMMIT)
    if seen[number + 1] is Kind.WRITE:
        return READY
    begun = max(place for place in range(number) if seen[place] is Kind.COMMIT)
    return VERIFYING if Kind.WRITE in seen[begun:number] else LOOKING


def _word_of_commit(number: int, last: int, *, is_before: bool, is_seen: bool) -> str:
    """Return the words for a commit. last: number of the last request; is_seen: a request came just before it."""
    if number == 0:
        return BEGINNING if is_before else PERMITTED
    if number > last + 1:
        return RECORDED if is_before else ENDED
    if is_seen:
        return VERIFIED if is_before else RECORDED if number > last else BETWEEN
    return LOOKING if not is_before else PERMITTED if number == 1 else BETWEEN
