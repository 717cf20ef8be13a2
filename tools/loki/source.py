"""Loki as a source: LogQL from typed questions, filters pushed down, pages by time, every refusal a gap.

Errors of Loki are plain text, reaching the limit sets no flag, and a wrong tenant gets an empty success: an empty
answer means "no data or no access". Source: tests/formats/loki_3.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import cast
from urllib.parse import quote

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.lengths import LONGEST_PART, in_parts
from firstfault.tools.loki.client import Asker, LokiError
from firstfault.tools.loki.streams import Stream, merge, ordered, streams_of
from firstfault.tools.patience import UNAUTHORIZED, Standing
from firstfault.tools.sources import Answer, Question, namespaces_asked, narrowed, nodes_asked
from firstfault.tools.times import Window

PAGE = 5_000
"""Lines per request: Loki's default max_entries_limit_per_query."""
MAX_LINES = 200_000
"""Lines taken for one selector."""
SLICE = timedelta(hours=6)
"""Longest range asked at once; Loki refuses ranges beyond its own limit (30 days by default)."""
LENGTH = timedelta(hours=1)
DENIED = frozenset({401, 403})
_OK = 200
KERNEL = re.compile(r"kernel|kmsg|dmesg", re.IGNORECASE)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """Which streams, and which kind their lines are unless their labels say more."""

    logql: str
    what: str


@dataclass
class _Take:
    """What one reading gives."""

    streams: dict[str, Stream] = field(default_factory=dict[str, Stream])
    coverage: list[Coverage] = field(default_factory=list[Coverage])
    gaps: list[Gap] = field(default_factory=list[Gap])


def selectors(nodes: tuple[str, ...], namespaces: tuple[str, ...]) -> tuple[Selector, ...]:
    """Return the stream selectors for machines and namespaces in scope. Values are quoted: nothing else can be asked."""
    labels = ("node", "node_name", "hostname", "host", "nodename")
    return (
        *(
            Selector(logql=f"{{{label}=~{choice}}}", what=f"nodes-{label}")
            for choice in _choices(nodes)
            for label in labels
        ),
        *(Selector(logql=f"{{namespace=~{choice}}}", what="namespaces") for choice in _choices(namespaces)),
    )


def _choices(names: tuple[str, ...]) -> Iterator[str]:
    """Yield the names as regular expressions inside quotes, so many in one that its address is not too long."""
    for part in in_parts(map(re.escape, names), LONGEST_PART, lambda name: len(quote(f"{name}|"))):
        yield '"' + "|".join(part).replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True, kw_only=True)
class LokiSource:
    """Reads one Loki. clock: aware UTC."""

    asker: Asker
    nodes: tuple[str, ...]
    namespaces: tuple[str, ...]
    clock: Callable[[], datetime]

    @property
    def name(self) -> str:
        """Return the name shown in reports and audit."""
        return "loki"

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return one document per stream, oldest line first, nothing later than `as_of`."""
        now = self.clock()
        end = min(t for t in (window.end, as_of, now) if t is not None)
        start = window.start if window.start is not None and window.start < end else end - LENGTH
        within = Window(start=start, end=end)
        take, standing = _Take(), Standing()
        for selector in selectors(
            nodes_asked(question, self.nodes), namespaces_asked(question, self.namespaces)
        ):
            if standing.lost is None:
                self._try(take, selector, question.contains, within, standing)
            else:
                state = CoverageState.DENIED if standing.is_denied else CoverageState.UNAVAILABLE
                self._missed(take, selector, standing.lost, state)
        documents = list(_apart(self._document(each, within, now) for each in ordered(take.streams)))
        take.coverage += [_partial(self.name, each) for each in documents]
        if not documents and not take.gaps:
            self._say(take, "no lines for what is in scope: no data or no access")
        gaps = tuple(dict.fromkeys(take.gaps))
        return narrowed(
            Answer(documents=tuple(documents), coverage=tuple(take.coverage), gaps=gaps), question
        )

    def _try(
        self, take: _Take, selector: Selector, literal: str | None, window: Window, standing: Standing
    ) -> None:
        try:
            self._collect(take, selector, literal, window)
        except LokiError as error:
            state = CoverageState.DENIED if error.code in DENIED else CoverageState.UNAVAILABLE
            self._missed(take, selector, str(error), state)
            if error.code == 0:
                standing.silent(str(error))
            elif error.code == UNAUTHORIZED:
                standing.refused(str(error))
        else:
            standing.answered()

    def _missed(self, take: _Take, selector: Selector, why: str, state: CoverageState) -> None:
        take.coverage.append(
            Coverage(source=self.name, kind=Kind.CONTAINER_LOG, state=state, note=selector.what)
        )
        self._say(take, why)

    def _say(self, take: _Take, why: str) -> None:
        would_tell = "what kernels, daemons and containers said"
        take.gaps.append(Gap(source=self.name, why=why, would_tell=would_tell, kind=Kind.CONTAINER_LOG))

    def _collect(self, take: _Take, selector: Selector, literal: str | None, window: Window) -> None:
        query = selector.logql + (f" |= {_literal(literal)}" if literal is not None else "")
        taken = 0
        for start_ns, end_ns in _slices(window):
            cursor = start_ns
            while True:
                page = self._page(query, cursor, end_ns)
                taken += merge(take.streams, page)
                last = max((at for stream in page for at, _ in stream.lines), default=0)
                if sum(len(stream.lines) for stream in page) < PAGE:
                    break
                if last <= cursor or taken >= MAX_LINES:
                    self._say(take, f"only the first {taken} lines of `{selector.logql}` were taken")
                    return
                cursor = last

    def _page(self, query: str, start_ns: int, end_ns: int) -> list[Stream]:
        asked = {
            "query": query,
            "start": str(start_ns),
            "end": str(end_ns),
            "limit": str(PAGE),
            "direction": "forward",
        }
        found = self.asker.ask("/loki/api/v1/query_range", asked)
        try:
            return streams_of(found)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            msg = "Loki's answer cannot be read: it is JSON, but not what Loki says"
            raise LokiError(msg, _OK) from error

    def _document(self, stream: Stream, window: Window, now: datetime) -> Document:
        text = "".join(
            f"{_stamp(at)} {line}\n" for at, line in sorted(stream.lines, key=lambda each: each[0])
        )
        known = {
            name: stream.labels[name]
            for name in ("namespace", "pod", "container", "node")
            if stream.labels.get(name)
        }
        for name in ("node_name", "hostname", "host", "nodename"):
            if stream.labels.get(name):
                known.setdefault("node", stream.labels[name])
        return Document(
            path="loki/"
            + "/".join(_safe(value) for value in known.values())
            + f"/{_safe(_what(stream.labels))}.log",
            kind=kind_of(stream.labels),
            body=MemoryBody(text.encode("utf-8", "backslashreplace")),
            source=self.name,
            query="{" + ",".join(f'{name}="{value}"' for name, value in sorted(stream.labels.items())) + "}",
            labels=known,
            window=window,
            fetched_at=now,
        )


def kind_of(labels: dict[str, str]) -> Kind:
    """Return what the lines of a stream are, by its labels: kernel, journal or container."""
    said = " ".join(
        labels.get(name, "")
        for name in ("job", "transport", "source", "unit", "syslog_identifier", "filename")
    )
    if KERNEL.search(said):
        return Kind.KERNEL_LOG
    if labels.get("unit") == "kubelet.service":
        return Kind.KUBELET_LOG
    if labels.get("unit") in {"containerd.service", "crio.service"}:
        return Kind.RUNTIME_LOG
    return Kind.CONTAINER_LOG if labels.get("pod") else Kind.JOURNAL


def _partial(source: str, document: Document) -> Coverage:
    note = "lines that a collector dropped are not known"
    return Coverage(
        source=source,
        kind=document.kind,
        state=CoverageState.PARTIAL,
        path=document.path,
        window=document.window,
        lines_read=document.text.count("\n"),
        note=note,
    )


def _slices(window: Window) -> Iterator[tuple[int, int]]:
    at, end = cast("datetime", window.start), cast("datetime", window.end)
    while at < end:
        until = min(at + SLICE, end)
        yield _nanoseconds(at), _nanoseconds(until)
        at = until


def _nanoseconds(at: datetime) -> int:
    return ((at - _EPOCH) // timedelta(microseconds=1)) * 1000


def _stamp(at_ns: int) -> str:
    whole = _EPOCH + timedelta(seconds=at_ns // 1_000_000_000)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{at_ns % 1_000_000_000:09d}Z"


def _literal(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _what(labels: dict[str, str]) -> str:
    transport = f"-{labels['transport']}" if labels.get("transport") else ""
    named = labels.get("job") or labels.get("container") or "stream"
    return labels.get("unit") or named + transport


def _apart(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents, each under a path of its own: streams may differ in labels that no path shows."""
    taken: Counter[str] = Counter()
    for each in documents:
        taken[each.path] += 1
        number = taken[each.path]
        yield each if number == 1 else replace(each, path=f"{each.path.removesuffix('.log')}~{number}.log")


def _safe(text: str) -> str:
    return re.sub(r"[^\w.-]", "_", text)[:100] or "_"
