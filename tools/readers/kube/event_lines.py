"""Events as text: tails of descriptions, tables of `kubectl get events`, and single lines that people paste."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from firstfault.tools.context import ReadContext
from firstfault.tools.entities import EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.columns import Column, cells_of, columns_of
from firstfault.tools.readers.kube.kinds import entity_of, kind_of_word
from firstfault.tools.readers.kube.stamping import field_stamp, is_later
from firstfault.tools.readings import KubeEvent
from firstfault.tools.stamps.ages import age_of, age_stamp

_AGE = r"(?:\d+(?:\.\d+)?(?:ms|[ydhms]))+(?:\s+ago)?(?:\s+\(x\d+(?:\s+over\s+(?:\d+[ydhms])+)?\))?|<unknown>|<invalid>"
_DESCRIBED = re.compile(
    rf"^\s*(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w*)\s+(?:(?P<age>{_AGE})\s+)?(?P<source>[\w.:/-]+(?:,\s[\w.:-]+)?)(?:\s+(?P<message>\S.*))?$"
)
_LISTED = re.compile(
    rf"^\s*(?:(?P<namespace>[a-z0-9][a-z0-9-]*)\s+)?(?P<age>{_AGE})\s+(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w*)\s+"
    r"(?P<object>[A-Za-z.]+/[\w.:-]+)\s+(?P<message>\S.*)$"
)
_OLD = re.compile(
    rf"^\s*(?P<first>{_AGE})\s+(?P<age>{_AGE})\s+(?P<count>\d+)\s+(?:\{{)?(?P<source>[\w.:/ -]+?)(?:\}})?\s+(?:(?P<path>spec\.\S+)\s+)?"
    r"(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w*)\s+(?P<message>\S.*)$"
)
_CLIENT = re.compile(
    r"Event\(v1\.ObjectReference\{Kind:\"(?P<kind>\w+)\", Namespace:\"(?P<namespace>[^\"]*)\", Name:\"(?P<name>[^\"]*)\".*?"
    r"FieldPath:\"(?P<path>[^\"]*)\"\}\): type: '(?P<type>\w+)' reason: '(?P<reason>\w+)' (?P<message>.*)$"
)
_STRUCTURED = re.compile(
    r'"Event occurred" object="(?P<object>[^"]*)"(?: fieldPath="(?P<path>[^"]*)")? kind="(?P<kind>[^"]*)" apiVersion="[^"]*" '
    r'type="(?P<type>\w+)" reason="(?P<reason>\w+)" message="(?P<message>(?:[^"\\]|\\.)*)"'
)
_RULE = re.compile(r"^[\s-]+$")
_HEADER_WORDS = {"type", "reason", "age", "from", "message", "firstseen", "lastseen", "count", "subobjectpath"}
_LEAST_HEADER_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """The cells of one event line; empty where the line has no such cell."""

    type: str
    reason: str
    message: str = ""
    age: str = ""
    first: str = ""
    count: int | None = None
    source: str = ""
    object: str = ""
    namespace: str = ""
    field_path: str = ""


def described_line(line: str) -> EventLine | None:
    """Return the event on one line of a description's tail, or None."""
    old = _OLD.match(line)
    if old is not None:
        return EventLine(
            type=old["type"], reason=old["reason"], message=old["message"], age=old["age"], first=old["first"],
            count=int(old["count"][:9]), source=old["source"].strip(), field_path=old["path"] or "",
        )  # fmt: skip
    match = _DESCRIBED.match(line)
    if match is None:
        return None
    return EventLine(
        type=match["type"], reason=match["reason"], message=match["message"] or "", age=match["age"] or "", source=match["source"]
    )


def logged_line(line: str) -> EventLine | None:
    """Return the event that a controller wrote into its log on this line, or None."""
    if "ObjectReference{" in line:
        match = _CLIENT.search(line)
        if match is not None:
            return EventLine(
                type=match["type"], reason=match["reason"], message=match["message"], object=f"{match['kind']}/{match['name']}",
                namespace=match["namespace"], field_path=match["path"],
            )  # fmt: skip
    if '"Event occurred"' in line:
        match = _STRUCTURED.search(line)
        if match is not None:
            namespace, slash, name = match["object"].partition("/")
            return EventLine(
                type=match["type"], reason=match["reason"], message=match["message"].replace('\\"', '"'),
                object=f"{match['kind']}/{name if slash else namespace}", namespace=namespace if slash else "", field_path=match["path"] or "",
            )  # fmt: skip
    return None


def listed_line(line: str, columns: Sequence[Column]) -> EventLine | None:
    """Return the event on one row of an events table, or None; without columns the usual five are expected."""
    if columns:
        cells = {title.upper().replace(" ", ""): cell for title, cell in cells_of(line, tuple(columns)).items()}
        if cells.get("TYPE") in {"Normal", "Warning"} and cells.get("REASON"):
            return _from_cells(cells)
    match = _LISTED.match(line)
    if match is None:
        return described_line(line)
    return EventLine(
        type=match["type"], reason=match["reason"], message=match["message"], age=match["age"], object=match["object"],
        namespace=match["namespace"] or "",
    )  # fmt: skip


def _from_cells(cells: dict[str, str]) -> EventLine:
    kind = cells.get("KIND", "")
    named = f"{kind}/{cells['NAME']}" if kind and "NAME" in cells else ""
    count = cells.get("COUNT", "")
    return EventLine(
        type=cells["TYPE"],
        reason=cells["REASON"],
        message=cells.get("MESSAGE", ""),
        age=cells.get("LASTSEEN", "") or cells.get("AGE", ""),
        first=cells.get("FIRSTSEEN", ""),
        count=int(count) if count.isdigit() and len(count) < 10 else None,
        source=cells.get("SOURCE", "") or cells.get("FROM", ""),
        object=cells.get("OBJECT", "") or named,
        namespace=cells.get("NAMESPACE", ""),
        field_path=cells.get("SUBOBJECT", ""),
    )


def described_events(
    document: Document, context: ReadContext, section: int, end: int, involved: EntityRef | None
) -> Iterator[KubeEvent]:
    """Yield the events of a description between the line of `Events:` and the line `end` (not included)."""
    yield from _events(document, context, range(section + 1, end), (), involved)


def listed_events(document: Document, context: ReadContext, rows: range, header: str, namespace: str | None) -> Iterator[KubeEvent]:
    """Yield the events of a table: `rows` are the line numbers below the header."""
    columns = columns_of(header) if header else ()
    for event in _events(document, context, rows, columns, None):
        if namespace and event.involved is not None and not event.involved.namespace and event.involved.kind != "node":
            yield replace(event, involved=replace(event.involved, namespace=namespace))
        else:
            yield event


def bare_events(document: Document, context: ReadContext) -> Iterator[KubeEvent]:
    """Yield the events of a text without any header: rows of either table, or lines of a controller's log."""
    yield from _events(document, context, range(1, len(document.lines) + 1), (), document.entity)


def _events(
    document: Document, context: ReadContext, rows: range, columns: Sequence[Column], involved: EntityRef | None
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
    return bool(_RULE.match(line)) or not words or len(words & _HEADER_WORDS) >= _LEAST_HEADER_WORDS and words <= _HEADER_WORDS | {"last", "seen", "first"}


def kube_event(found: EventLine, document: Document, context: ReadContext, line: int, involved: EntityRef | None) -> KubeEvent:
    """Return the event of one line, with its ages turned into stamps."""
    age = age_of(found.age)
    last = field_stamp(found.age, document, line, context)
    first = field_stamp(found.first, document, line, context)
    if first is None and age is not None and age.first_s is not None:
        first = age_stamp(age.first_s, age.first_step_s or 1.0, raw=found.age, path=document.path, line=line, context=context)
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
