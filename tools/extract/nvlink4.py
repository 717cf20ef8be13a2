"""Decodes the registers of Xid 74 (NVLink 4 and older): which kind of link error, and whose.

The message carries seven registers; the first, third, fourth and fifth are telling on Hopper. Which bits count and
how often is a rule set published with NVSentinel (health-events-analyzer, Xid 74 register rules, Apache-2.0).
"""

import re
from typing import NamedTuple

from firstfault.tools.signals import Value

_LINK = re.compile(
    r"(?:NVLink: )?(?P<what>[a-z][\w -]{0,40}?) (?:detected |received )?on link (?P<link>\d+)"
    r"|[Ll]ink (?P<link2>\d+)"
)
_WORDS = re.compile(r"\((?P<words>0x[0-9a-fA-F]+(?:,\s*0x[0-9a-fA-F]+)*)\)")


class _Bits(NamedTuple):
    register: int
    bits: tuple[int, ...]
    meaning: str


_TABLE = (
    _Bits(0, (1, 20, 21, 22), "serious alone"),
    _Bits(0, (4, 5, 8, 9, 12, 16, 17, 24, 27, 28, 29), "serious when it repeats on the link"),
    _Bits(2, (13,), "serious alone"),
    _Bits(2, (0, 1, 2, 6, 16, 17, 18, 19), "serious when it repeats on the link"),
    _Bits(3, (16, 17, 18), "serious alone"),
    _Bits(4, (18, 19, 21, 22, 24, 25, 27, 28), "serious when it repeats on the link"),
    _Bits(4, (20, 23, 26, 29), "corrected errors over their limit, no action"),
)
_IGNORED_OF_FIRST = 1 << 0 | 1 << 23 | 1 << 30


def decode_xid74(tail: str) -> dict[str, Value]:
    """Return link, registers and their meaning of the part of an Xid 74 line behind the code."""
    found: dict[str, Value] = {}
    link = _LINK.search(tail)
    if link is not None:
        found["link"] = int(link["link"] or link["link2"])
        if link["what"]:
            found["what"] = link["what"].strip()
    words = _WORDS.search(tail)
    if words is None:
        return found
    registers = [int(word, 16) for word in words["words"].split(",")]
    found["registers"] = words["words"]
    meanings = _meanings(registers)
    if meanings:
        found["register_meaning"] = "; ".join(meanings)
    found["register_silent"] = not meanings
    return found


def _meanings(registers: list[int]) -> list[str]:
    found: list[str] = []
    for register, bits, meaning in _TABLE:
        word = registers[register] if register < len(registers) else 0
        word &= ~_IGNORED_OF_FIRST if register == 0 else ~0
        hit = [bit for bit in bits if word >> bit & 1]
        if hit:
            found.append(f"register {register} bit {', '.join(map(str, hit))}: {meaning}")
    return found
