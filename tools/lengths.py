"""How long a question to a server may be: what is in between cuts or refuses longer ones. Pure."""

from collections.abc import Callable, Iterable, Iterator

LONGEST_URL = 2_000
"""A question that makes a longer address is posted as a form, where the server takes that. Ours: no proxy cuts so short."""
LONGEST_PART = 5_500
"""The part of an address that one question may fill, percent-encoded, where it cannot be posted. Ours.

Source: nginx, `large_client_header_buffers` (a request line of 8 KiB); Apache, `LimitRequestLine` (8,190 bytes).
"""
LONGEST_QUERY = 15_000
"""Bytes of one query, however it is sent. Source: VictoriaMetrics, `-search.maxQueryLen` (16 KiB)."""


def in_parts(names: Iterable[str], room: int, length: Callable[[str], int]) -> Iterator[tuple[str, ...]]:
    """Yield the names in order, in as few parts as fit into `room` each; a name that is longer than that is alone."""
    part: list[str] = []
    used = 0
    for name in names:
        needed = length(name)
        if part and used + needed > room:
            yield tuple(part)
            part, used = [], 0
        part.append(name)
        used += needed
    if part:
        yield tuple(part)
