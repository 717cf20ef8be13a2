"""How much a recording may hold: caps against bombs and accidents, all of them injectable."""

from dataclasses import dataclass

_MIB = 1 << 20
_GIB = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Caps while a recording is opened. The defaults are choices: above any real bundle, below what hurts.

    max_ratio: unpacked to packed size; only looked at once `ratio_from_bytes` are unpacked, since repetitive logs
    shrink a hundredfold. memory_bytes: a larger member goes to a temporary file.
    """

    max_files: int = 20_000
    max_member_bytes: int = 8 * _GIB
    max_total_bytes: int = 32 * _GIB
    max_ratio: float = 1_000.0
    ratio_from_bytes: int = 256 * _MIB
    max_nesting: int = 1
    memory_bytes: int = 1 * _MIB


DEFAULT_LIMITS = Limits()
