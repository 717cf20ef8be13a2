"""Lines of documents for a model to look at: found by text, or chosen because no catalogue row explains them. Pure.

Code reduces long logs: equal lines are folded, a bounded part of each document is looked at, the rest is counted.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from firstfault.tools.evidence import Document, Evidence, decode

MAX_LINES_LOOKED_AT = 200_000
"""Per document; all documents together get MAX_LINES_IN_ALL."""
MAX_LINES_IN_ALL = 600_000
STREAMED_BYTES = 8 * 1024 * 1024
"""From this size on a document is read line by line, not held as a whole."""
_LONGEST_LINE = 64 * 1024

_TELLING = re.compile(
    r"(?i)\b(?:error|fail\w*|fatal|panic\w*|abort\w*|crash\w*|exception|traceback|timed? ?out|timeout|refused|denied"
    r"|forbidden|unable|cannot|can't|invalid|missing|not found|no such|unreachable|lost|dropped|rejected|exhausted"
    r"|insufficient|full|killed|oom|hung|stuck|stall\w*|corrupt\w*|mismatch|expired|unhealthy|unavailable|degraded"
    r"|critical|warn(?:ing)?|segfault|throttl\w*|evict\w*|reset)\b"
)
_VARIABLE = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F]{8,}|\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Lines that hold a text: the first and the last ones as evidence, how many there are, and whether all was searched."""

    rows: tuple[Evidence, ...]
    total: int
    searched_all: bool = True


def lines_of(document: Document, limit: int = MAX_LINES_LOOKED_AT) -> Iterator[tuple[int, str]]:
    """Yield line number and line, at most `limit`; large documents are streamed."""
    if document.body.size <= STREAMED_BYTES:
        yield from islice(enumerate(document.lines, start=1), limit)
        return
    with document.body.open() as stream:
        for number in range(1, limit + 1):
            line = stream.readline(_LONGEST_LINE)
            if not line:
                return
            yield number, decode(line).rstrip("\n")


def find_lines(documents: Iterable[Document], text: str, *, head: int, tail: int) -> Found:
    """Return the first `head` and last `tail` lines that hold `text`, ignoring case, over all documents in order."""
    wanted = text.casefold()
    first: list[Evidence] = []
    last: list[tuple[Document, int, str]] = []
    total, looked_at, searched_all = 0, 0, True
    for document in documents:
        limit = min(MAX_LINES_LOOKED_AT, MAX_LINES_IN_ALL - looked_at)
        number = 0
        for number, line in lines_of(document, limit):
            if wanted not in line.casefold():
                continue
            total += 1
            if len(first) < head:
                first.append(document.cite(number, excerpt=line.rstrip("\r")))
            else:
                last.append((document, number, line))
                del last[:-tail]
        looked_at += number
        searched_all = searched_all and number < limit
    rows = (*first, *(d.cite(n, excerpt=line.rstrip("\r")) for d, n, line in last))
    return Found(rows=rows, total=total, searched_all=searched_all)


def unexplained_lines(
    documents: Sequence[Document], explained: set[tuple[str, int]], *, limit: int
) -> tuple[Evidence, ...]:
    """Return telling lines that no signal cites, one of each pattern, spread over the documents, at most `limit`."""
    each = min(MAX_LINES_LOOKED_AT, MAX_LINES_IN_ALL // max(1, len(documents)))
    queues = [list(islice(_unexplained(document, explained, each), limit)) for document in documents]
    chosen: list[Evidence] = []
    while len(chosen) < limit and any(queues):
        chosen += [queue.pop(0) for queue in queues if queue]
    return tuple(chosen[:limit])


def _unexplained(document: Document, explained: set[tuple[str, int]], most: int) -> Iterator[Evidence]:
    patterns: set[str] = set()
    for number, line in lines_of(document, most):
        if (document.path, number) in explained or not _TELLING.search(line[:2000]):
            continue
        pattern = _VARIABLE.sub("#", line[:500])
        if pattern not in patterns:
            patterns.add(pattern)
            yield document.cite(number, excerpt=line.rstrip("\r"))
