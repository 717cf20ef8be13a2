"""Signed rows: sealed when they are written, checked when they are read. A row that is not ours never counts."""

from collections.abc import Mapping

from firstfault.agent.store.canon import storable
from firstfault.agent.store.errors import ForgedRowError
from firstfault.agent.store.gate_tables import Signed
from firstfault.agent.store.signing import SigningKey


def seal(key: SigningKey, purpose: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return `values` as every database can hold them, with key id and signature: what is to be written."""
    held = _held(values)
    return {**held, "key_id": key.id, "signature": key.sign(purpose, held)}


def is_sealed(key: SigningKey, purpose: str, values: Mapping[str, object], row: Signed) -> bool:
    """Return whether the row's signature was made with `key` over exactly `values`."""
    return key.verifies(purpose, _held(values), row.signature)


def require_sealed(key: SigningKey, purpose: str, values: Mapping[str, object], row: Signed) -> None:
    """Return when the row is ours. Raises ForgedRowError, which names the row and what to do."""
    if is_sealed(key, purpose, values, row):
        return
    name = next(iter(values.values()), "?")
    why = (
        "it was not signed with this key"
        if row.key_id == key.id
        else f"it names key {row.key_id}, this is {key.id}"
    )
    msg = f"the {purpose} row `{name}` does not count: {why}; run `firstfault audit verify`"
    raise ForgedRowError(msg)


def _held(values: Mapping[str, object]) -> dict[str, object]:
    return {name: storable(value) if isinstance(value, str) else value for name, value in values.items()}
