"""The reads a model may choose, checked and carried out: typed, bounded, read-only. No free text reaches a source unchecked.

A read of what is already here is answered from the documents. A read of a source becomes a typed `Question` about an entity
of this incident; the source compiles it. The table a model gets is short; the whole of it is kept as a document.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from firstfault.agent.deliberation.answer import (
    Read,
    ReadChanges,
    ReadEvents,
    ReadLogs,
    ReadMetrics,
    ReadObjects,
    ReadToolOutput,
    SearchLines,
    ShowLines,
    ShowSignals,
)
from firstfault.agent.deliberation.desk import Desk
from firstfault.agent.deliberation.lines import find_lines, lines_of
from firstfault.agent.deliberation.tables import evidence_row, signal_row
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import CoverageState, Document
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Answer, Question

MAX_LITERAL_CHARS = 120
MIN_LITERAL_CHARS = 3
HEAD_ROWS, TAIL_ROWS = 8, 4
LINES_AROUND = 5
MAX_TABLE_BYTES = 3_000

_METRIC = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]{1,119}")
_SIGNAL = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)*")
_OBJECTS = (Kind.KUBE_OBJECTS, Kind.KUBECTL_DESCRIBE, Kind.KUBECTL_GET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a read gave. table: as shown. answer: of a source, when one was asked. whole: the full table, when it was cut."""

    read: Read
    table: str
    answer: Answer | None = None
    whole: Document | None = None


class RefusedRead(Exception):
    """The read is not allowed or makes no sense; the message is shown to the model."""


def key_of(read: Read, documents: int) -> str:
    """Return what makes two reads the same; a search over more documents is another search."""
    scope = f" over {documents}" if isinstance(read, SearchLines | ShowSignals) else ""
    return read.model_dump_json() + scope


def carry_out(desk: Desk, read: Read, ask: Callable[[Question], Answer]) -> Result:
    """Return the result of `read`. Raises RefusedRead with the reason."""
    if isinstance(read, SearchLines):
        return _search(desk, read)
    if isinstance(read, ShowLines):
        return _show(desk, read)
    if isinstance(read, ShowSignals):
        return _signals(desk, read)
    question = question_of(desk, read)
    return _asked(desk, read, _modest(ask(question), question))


def question_of(desk: Desk, read: Read) -> Question:
    """Return the typed question that `read` stands for. Raises RefusedRead for a stranger's entity or an odd literal."""
    if isinstance(read, ReadLogs):
        return Question(
            kinds=(read.kind,), entities=_entities(desk, read.entity), contains=_literal(read.contains)
        )
    if isinstance(read, ReadToolOutput):
        return Question(kinds=(read.kind,), entities=_entities(desk, read.entity))
    if isinstance(read, ReadObjects):
        return Question(kinds=_OBJECTS, entities=_entities(desk, read.entity))
    if isinstance(read, ReadEvents):
        return Question(kinds=(Kind.KUBE_EVENTS,), entities=_entities(desk, read.entity))
    if isinstance(read, ReadMetrics):
        if not _METRIC.fullmatch(read.metric):
            msg = "`metric` must be the exact name of one metric"
            raise RefusedRead(msg)
        return Question(
            kinds=(Kind.PROMETHEUS_RESPONSE,), entities=_entities(desk, read.entity), contains=read.metric
        )
    if isinstance(read, ReadChanges):
        return Question(kinds=(Kind.CHANGE_LOG, Kind.AUDIT_LOG), entities=_entities(desk, read.entity))
    msg = "this read asks no source"
    raise RefusedRead(msg)


def _entities(desk: Desk, name: str | None) -> tuple[EntityRef, ...]:
    if name is None:
        return ()
    found = desk.entities.get(name.strip())
    if found is None:
        msg = "`entity` must be written as under ENTITIES"
        raise RefusedRead(msg)
    return (found,)


def _literal(text: str | None) -> str | None:
    if text is None or text == "":
        return None
    if not MIN_LITERAL_CHARS <= len(text) <= MAX_LITERAL_CHARS or not text.isprintable():
        msg = f"a text to look for has {MIN_LITERAL_CHARS} to {MAX_LITERAL_CHARS} printable characters"
        raise RefusedRead(msg)
    return text


def _search(desk: Desk, read: SearchLines) -> Result:
    text = _literal(read.text)
    if text is None:
        msg = "a search needs a text"
        raise RefusedRead(msg)
    documents = _documents(desk, read.path)
    found = find_lines(documents, text, head=HEAD_ROWS, tail=TAIL_ROWS)
    shown = [evidence_row(desk, item) for item in found.rows]
    if found.total > len(found.rows):
        shown.insert(HEAD_ROWS, f"({found.total - len(found.rows)} more between)")
    if not found.searched_all:
        shown.append("(only the beginning of the largest documents was searched)")
    table = _cut(shown or [f"no line holds it in {len(documents)} documents"])
    whole = _kept(desk, read, documents, text) if found.total > len(found.rows) else None
    return Result(read=read, table=table, whole=whole)


def _documents(desk: Desk, path: str | None) -> Sequence[Document]:
    if path is None:
        return desk.view.documents
    found = desk.document(path)
    if found is None:
        msg = "`path` must be written as under DOCUMENTS"
        raise RefusedRead(msg)
    return (found,)


def _kept(desk: Desk, read: SearchLines, documents: Sequence[Document], text: str) -> Document:
    found = find_lines(documents, text, head=10_000, tail=10_000)
    body = "".join(f"{item.path}:{item.line_start}: {item.excerpt}\n" for item in found.rows)
    return Document(
        path=f"model/search-{len(desk.names)}.txt",
        kind=Kind.PLAIN,
        body=MemoryBody(body.encode("utf-8", "backslashreplace")),
        source="model",
        query=read.model_dump_json(),
    )


def _show(desk: Desk, read: ShowLines) -> Result:
    document = _documents(desk, read.path)[0]
    near = [(n, line) for n, line in lines_of(document) if abs(n - read.line) <= LINES_AROUND]
    rows = [evidence_row(desk, document.cite(n, excerpt=line.rstrip("\r"))) for n, line in near]
    return Result(read=read, table=_cut(rows or ["the document has no such line"]))


def _signals(desk: Desk, read: ShowSignals) -> Result:
    if not _SIGNAL.fullmatch(read.name):
        msg = "`name` must be a signal name or the beginning of one"
        raise RefusedRead(msg)
    wanted = _entities(desk, read.entity)
    entries = [
        entry
        for entry in desk.view.timeline
        if (entry.signal.name == read.name or entry.signal.name.startswith(f"{read.name}."))
        and (not wanted or entry.signal.entity.key == wanted[0].key)
    ]
    rows = [
        signal_row(desk, entry, first=False)
        for entry in (*entries[:HEAD_ROWS], *entries[HEAD_ROWS:][-TAIL_ROWS:])
    ]
    return Result(read=read, table=_cut([*rows, f"{len(entries)} in all"]))


def _asked(desk: Desk, read: Read, answer: Answer) -> Result:
    new = [document for document in answer.documents if is_new(desk, document)]
    rows = [f"new: {desk.text(d.path, 80)} ({d.kind}, {d.body.size} bytes)" for d in new]
    rows += [f"not had: {desk.text(gap.source, 60)}: {desk.text(gap.why, 120)}" for gap in answer.gaps]
    kept = Answer(
        documents=tuple(new),
        coverage=tuple(c for c in answer.coverage if c not in desk.view.coverage),
        gaps=tuple(gap for gap in answer.gaps if gap not in desk.view.gaps),
    )
    return Result(read=read, table=_cut(rows or ["nothing that was not read before"]), answer=kept)


def _modest(answer: Answer, question: Question) -> Answer:
    """Return the answer without a claim of completeness when only some lines were asked for: absence needs all."""
    if question.contains is None:
        return answer
    partial, complete = CoverageState.PARTIAL, CoverageState.COMPLETE
    return Answer(
        documents=tuple(replace(document, complete=False) for document in answer.documents),
        coverage=tuple(replace(c, state=partial) if c.state is complete else c for c in answer.coverage),
        gaps=answer.gaps,
    )


def is_new(desk: Desk, document: Document) -> bool:
    """Return whether a document tells anything that no document of the incident has, byte for byte or line for line."""
    known = desk.view.documents
    if (
        any(d.body.sha256 == document.body.sha256 and d.path == document.path for d in known)
        or document.body.size == 0
    ):
        return False
    same = [
        d
        for d in known
        if d.kind is document.kind and (d.path == document.path or d.labels == document.labels)
    ]
    lines = {line for _, line in lines_of(document) if line.strip()}
    return not any(lines <= {line for _, line in lines_of(other)} for other in same)


def _cut(rows: Sequence[str]) -> str:
    """Return the rows that fit into the table's bytes, and how many did not."""
    shown: list[str] = []
    size = 0
    for row in rows:
        size += len(row.encode("utf-8", "replace")) + 1
        if size > MAX_TABLE_BYTES:
            return "\n".join([*shown, f"({len(rows) - len(shown)} rows left out)"])
        shown.append(row)
    return "\n".join(shown)
