"""Tells text from binary, and names encodings that have no byte order mark."""

import re

SAMPLE_BYTES = 64 * 1024

_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_MOST_CONTROL_SHARE = 0.10
"""Text may hold stray NUL bytes (a log after a crash); more control bytes than this is not text. A choice."""
_WIDE_SHARE = 0.30
_MOST_BROKEN_SHARE = 0.30
_FEW_CONTROL_SHARE = 0.01
"""Text in an old encoding has many bytes that are not UTF-8 but no control bytes beside them. Choices."""
_LEAST_BYTES = 8


def is_binary(sample: bytes) -> bool:
    """Return whether `sample`, the first bytes of a file, cannot be read as text."""
    if not sample or sample.startswith((b"\xff\xfe", b"\xfe\xff")) or wide_encoding(sample) is not None:
        return False
    start = sample.lstrip(b"\x00") or sample[:1]
    """A file that was preallocated or torn by a crash begins with NUL bytes and is text after them."""
    control = len(_CONTROL.findall(start))
    broken = start.decode("utf-8", errors="replace").count("\ufffd")
    is_mixed = control > len(start) * _FEW_CONTROL_SHARE and broken > len(start) * _MOST_BROKEN_SHARE
    return is_mixed or control > len(start) * _MOST_CONTROL_SHARE


def wide_encoding(sample: bytes) -> str | None:
    """Return `utf-16-le` or `utf-16-be` when every other byte is NUL although no byte order mark says so."""
    if len(sample) < _LEAST_BYTES or sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    even, odd = sample[0::2], sample[1::2]
    if odd.count(0) > len(odd) * (1 - _WIDE_SHARE) and even.count(0) < len(even) * _WIDE_SHARE:
        return "utf-16-le"
    if even.count(0) > len(even) * (1 - _WIDE_SHARE) and odd.count(0) < len(odd) * _WIDE_SHARE:
        return "utf-16-be"
    return None
