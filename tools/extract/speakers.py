"""Reads who speaks in a line: the host, the rank, the process, as prefixes of many programs say it."""

import re
from dataclasses import dataclass

_HEAD = 160
_HOST = re.compile(
    r"^(?:<\d+>)?(?:"
    r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? (?P<bsd>[\w.-]+):? "
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? (?P<iso>(?!stdout |stderr )[\w.-]+) [\w./-]+(?:\[\d+\])?: "
    r"|(?P<relay>[\w.-]+): (?:kern|user|daemon|syslog): +\w+: "
    r"|(?P<pdsh>[\w-]*[A-Za-z][\w.-]*): +(?:<\d>)?\[ *\d+\.\d+\] "
    r")",
    re.ASCII,
)
_JOURNAL_HOST = re.compile(r'"_HOSTNAME" ?: ?"(?P<host>[\w.-]+)"')
_NCCL = re.compile(
    r"(?:^|[\s\]])(?P<host>[\w.-]*[A-Za-z.][\w.-]*):(?P<pid>\d+):(?P<tid>\d+) \[(?P<gpu>-?\d+)\] ", re.ASCII
)
_RANK = re.compile(
    r"(?:^|[\s|(])\[(?:rank|default)(?P<a>\d+)\]|\[(?:[^\]]*\b)?Rank (?P<b>\d+)\]|^ ?(?P<c>\d{1,6}): (?=\S)"
    r"|\brank[ =:]{1,2}(?P<d>\d+)\b|\b(?:global_)?rank\"?: ?(?P<e>\d+)\b",
    re.ASCII,
)
_RAY = re.compile(r"\((?:\w+ )?pid=(?P<pid>\d+)(?:, ip=(?P<ip>[\d.]+))?\)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Who printed a line, as far as it says. gpu: the local CUDA index. None = not said."""

    host: str | None = None
    rank: str | None = None
    pid: str | None = None
    gpu: str | None = None
    is_worker: bool = False
    """The host was named by a worker itself; inside a container that is the name of its pod."""


NOBODY = Speaker()


def host_of(line: str) -> str | None:
    """Return the host that a syslog, journal or collector prefix names, or None."""
    match = _HOST.match(line, 0, _HEAD)
    if match is not None:
        return match[match.lastgroup] if match.lastgroup else None
    found = _JOURNAL_HOST.search(line) if '"_HOSTNAME"' in line else None
    return found["host"] if found else None


def speaker(line: str) -> Speaker:
    """Return who speaks in a line of a trainer or library, from its prefix only."""
    head = line[:_HEAD]
    nccl = _NCCL.search(head)
    rank = _RANK.search(head)
    ray = _RAY.search(head) if nccl is None else None
    if nccl is None and rank is None and ray is None:
        host = host_of(line)
        return Speaker(host=host) if host else NOBODY
    return Speaker(
        host=nccl["host"] if nccl else ray["ip"] if ray else host_of(line),
        rank=rank[rank.lastgroup] if rank and rank.lastgroup else None,
        pid=nccl["pid"] if nccl else ray["pid"] if ray else None,
        gpu=nccl["gpu"] if nccl else None,
        is_worker=nccl is not None,
    )
