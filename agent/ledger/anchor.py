"""How far the chain was found sound before: a signed note beside the key, so that each look checks only what is new.

The note holds the ledger's rows up to its place. Without it, or when its signature is not ours, the whole chain is walked.
"""

import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from firstfault.agent.ledger.rows import LedgerRow, Move
from firstfault.agent.store.chain import GENESIS
from firstfault.agent.store.signing import SigningKey

FILE = "ledger-anchor.json"
PURPOSE = "ledger-anchor"


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    move: Move
    seq: int
    digest: str


class _Note(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    seq: int
    digest: str
    rows: tuple[_Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundUntil:
    """The last event that was checked, its digest, and the ledger rows up to it."""

    seq: int = 0
    digest: str = GENESIS
    rows: tuple[LedgerRow, ...] = ()


def read_anchor(state: Path, key: SigningKey) -> SoundUntil:
    """Return the note in the state folder, or the beginning of the chain when there is none that is ours."""
    try:
        held = json.loads((state / FILE).read_bytes())
        note = _Note.model_validate(held["note"])
        is_ours = key.verifies(PURPOSE, note.model_dump(mode="json"), str(held["signature"]))
    except (OSError, ValueError, KeyError, TypeError, ValidationError):
        return SoundUntil()
    if not is_ours:
        return SoundUntil()
    rows = tuple(LedgerRow(move=row.move, seq=row.seq, digest=row.digest) for row in note.rows)
    return SoundUntil(seq=note.seq, digest=note.digest, rows=rows)


def keep_anchor(state: Path, key: SigningKey, seq: int, digest: str, rows: Sequence[LedgerRow]) -> None:
    """Write the note, whole or not at all; a folder that cannot be written only makes the next look slower."""
    note = _Note(
        seq=seq,
        digest=digest,
        rows=tuple(_Row(move=row.move, seq=row.seq, digest=row.digest) for row in rows),
    ).model_dump(mode="json")
    text = json.dumps({"note": note, "signature": key.sign(PURPOSE, note)}, indent=1)
    with suppress(OSError):
        handle, draft = tempfile.mkstemp(dir=state, prefix=f".{FILE}.")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
        Path(draft).replace(state / FILE)
