"""Lines of documents for a model to look at: found by text, or chosen because no catalogue row explains them. Pure.

Code reduces long logs: equal lines are folded, a bounded part of each document is looked at, the rest is counted.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from firstfault.tools.evidence import MAX_TEXT_BYTES, Document, Evidence, decode

MAX_LINES_LOOKED_AT = 200_000
"""Per document."""
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
    """Lines that hold a text: the first ones and the last ones as evidence, and how many there are in all."""

    rows: tuple[Evidence, ...]
    total: int


def lines_of(document: Document) -> Iterator[tuple[int, str]]:
    """Yield line number and line, at most MAX_LINES_LOOKED_AT; large documents are streamed."""
    if document.body.size <= MAX_TEXT_BYTES:
        yield from islice(enumerate(document.lines, start=1), MAX_LINES_LOOKED_AT)
        return
    with document.body.open() as stream:
        for number in range(1, MAX_LINES_LOOKED_AT + 1):
            line = stream.readline(_LONGEST_LINE)
            if not line:
                return
            yield number, decode(line).rstrip("\n")


def find_lines(documents: Iterable[Document], text: str, *, head: int, tail: int) -> Found:
    """Return the first `head` and last `tail` lines that hold `text`, ignoring case, over all documents in order."""
    wanted = text.casefold()
    first: list[Evidence] = []
    last: list[tuple[Document, int, str]] = []
    total = 0
    for document in documents:
        for number, line in lines_of(document):
            if wanted not in line.casefold():
                continue
            total += 1
            if len(first) < head:
                first.append(document.cite(number, excerpt=line.rstrip("\r")))
            else:
                last.append((document, number, line))
                del last[:-tail]
    return Found(rows=(*first, *(d.cite(n, excerpt=line.rstrip("\r")) for d, n, line in last)), total=total)


def unexplained_lines(
    documents: Sequence[Document], explained: set[tuple[str, int]], *, limit: int
) -> tuple[Evidence, ...]:
    """Return telling lines that no signal cites, one of each pattern, spread over the documents, at most `limit`."""
    queues = [list(islice(_unexplained(document, explained), limit)) for document in documents]
    chosen: list[Evidence] = []
    while len(chosen) < limit and any(queues):
        chosen += [queue.pop(0) for queue in queues if queue]
    return tuple(chosen[:limit])


def _unexplained(document: Document, explained: set[tuple[str, int]]) -> Iterator[Evidence]:
    patterns: set[str] = set()
    for number, line in lines_of(document):
        if (document.path, number) in explained or not _TELLING.search(line[:2000]):
            continue
        pattern = _VARIABLE.sub("#", line[:500])
        if pattern not in patterns:
            patterns.add(pattern)
            yield document.cite(number, excerpt=line.rstrip("\r"))
