"""Reads pickles of plain values without running them: the opcodes are interpreted, nothing is imported or called."""

import io
import json
import pickle
import pickletools
from typing import NoReturn

from firstfault.tools.evidence import Body

_MAX_BYTES = 64 * 1024 * 1024
_PROTOCOL = b"\x80"
_LEAST_PROTOCOL, _MOST_PROTOCOL = 2, 5
_CALLS = frozenset(
    {
        "GLOBAL",
        "STACK_GLOBAL",
        "REDUCE",
        "BUILD",
        "INST",
        "OBJ",
        "NEWOBJ",
        "NEWOBJ_EX",
        "EXT1",
        "EXT2",
        "EXT4",
        "PERSID",
        "BINPERSID",
        "NEXT_BUFFER",
    }
)


def is_pickle(head: bytes) -> bool:
    """Return whether a file that begins with `head` is a pickle (protocol 2 or newer)."""
    return len(head) > 1 and head[:1] == _PROTOCOL and _LEAST_PROTOCOL <= head[1] <= _MOST_PROTOCOL


class _PlainValues(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str) -> NoReturn:
        msg = f"`{module_name}.{global_name}` is not a plain value"
        raise pickle.UnpicklingError(msg)

    def persistent_load(self, pid: object) -> NoReturn:
        msg = f"a reference to something outside ({pid!r:.20})"
        raise pickle.UnpicklingError(msg)


def pickle_as_json(body: Body) -> bytes | None:
    """Return the pickled value as indented JSON, or None when it holds anything but plain values."""
    if body.size > _MAX_BYTES:
        return None
    with body.open() as stream:
        data = stream.read()
    try:
        if any(opcode.name in _CALLS for opcode, _, _ in pickletools.genops(data)):
            return None
        value = _PlainValues(io.BytesIO(data)).load()
        return json.dumps(value, indent=1, default=repr, skipkeys=True).encode()
    except (
        pickle.UnpicklingError,
        ValueError,
        EOFError,
        LookupError,
        TypeError,
        OverflowError,
        RecursionError,
        MemoryError,
        AttributeError,
    ):
        return None
