"""Events as text: tails of descriptions, tables of `kubectl get events`, and single lines that people paste."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from firstfault.tools.context import ReadContext
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.columns import Column, columns_of
from firstfault.tools.readers.kube.event_cells import EventLine, listed_line, logged_line
from firstfault.tools.readers.kube.kinds import entity_of, kind_of_word
from firstfault.tools.readers.kube.stamping import field_stamp, is_later
from firstfault.tools.readings import KubeEvent
from firstfault.tools.stamps.ages import age_of, age_stamp

_RULE = re.compile(r"^[\s-]+$")
_HEADER_WORDS = {
    "type",
    "reason",
    "age",
    "from",
    "message",
    "firstseen",
    "lastseen",
    "count",
    "subobjectpath",
}
_LEAST_HEADER_WORDS = 3


def described_events(
    document: Document, context: ReadContext, section: int, end: int, involved: EntityRef | None
) -> Iterator[KubeEvent]:
    """Yield the events of a description between the line of `Events:` and the line `end` (not included)."""
    yield from _events(document, context, range(section + 1, end), (), involved)


def listed_events(
    document: Document, context: ReadContext, rows: range, header: str, namespace: str | None
) -> Iterator[KubeEvent]:
    """Yield the events of a table: `rows` are the line numbers below the header."""
    columns = columns_of(header) if header else ()
    for event in _events(document, context, rows, columns, None):
        if (
            namespace
            and event.involved is not None
            and not event.involved.namespace
            and event.involved.kind != "node"
        ):
            yield replace(event, involved=replace(event.involved, namespace=namespace))
        else:
            yield event


def bare_events(document: Document, context: ReadContext) -> Iterator[KubeEvent]:
    """Yield the events of a text without any header: rows of either table, or lines of a controller's log."""
    yield from _events(document, context, range(1, len(document.lines) + 1), (), document.entity)


def _events(
    document: Document,
    context: ReadContext,
    rows: range,
    columns: Sequence[Column],
    involved: EntityRef | None,
) -> Iterator[KubeEvent]:
    pending: KubeEvent | None = None
    for number in rows:
        line = document.lines[number - 1].rstrip("\r")
        if _is_decoration(line):
            if not line.strip():
                yield from _visible(pending, context)
                pending = None
            continue
        found = listed_line(line, columns) or logged_line(line)
        if found is not None:
            yield from _visible(pending, context)
            pending = kube_event(found, document, context, number, involved)
        elif pending is not None:
            pending = replace(pending, message=f"{pending.message} {line.strip()}".strip(), line_end=number)
    yield from _visible(pending, context)


def _visible(event: KubeEvent | None, context: ReadContext) -> Iterator[KubeEvent]:
    if event is not None and not is_later(event.last, context):
        yield event


def _is_decoration(line: str) -> bool:
    words = {word.lower() for word in line.split()}
    return (
        bool(_RULE.match(line))
        or not words
        or (
            len(words & _HEADER_WORDS) >= _LEAST_HEADER_WORDS
            and words <= _HEADER_WORDS | {"last", "seen", "first"}
        )
    )


def kube_event(
    found: EventLine, document: Document, context: ReadContext, line: int, involved: EntityRef | None
) -> KubeEvent:
    """Return the event of one line, with its ages turned into stamps."""
    age = age_of(found.age)
    last = field_stamp(found.age, document, line, context)
    first = field_stamp(found.first, document, line, context)
    if first is None and age is not None and age.first is not None:
        first = age_stamp(age.first, raw=found.age, path=document.path, line=line, context=context)
    component, _, host = found.source.partition(", ")
    return KubeEvent(
        reason=found.reason,
        message=found.message,
        document=document,
        line=line,
        line_end=line,
        type=found.type,
        involved=_entity(found, document, host) or involved,
        field_path=found.field_path or None,
        component=component or None,
        count=found.count if found.count is not None else (age.count if age is not None else 1),
        first=first,
        last=last,
    )


def _entity(found: EventLine, document: Document, host: str) -> EntityRef | None:
    word, slash, name = found.object.partition("/")
    if not slash:
        return None
    kind = kind_of_word(word) or word
    namespace = found.namespace or document.labels.get("namespace")
    return entity_of(kind, name, namespace, host or document.node)
