"""One line of text that is an event: a row of either table, or what a controller logs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firstfault.tools.readers.columns import Column, cells_of

_AGE = r"(?:\d+(?:\.\d+)?(?:ms|[ydhms]))+(?:\s+ago)?(?:\s+\(x\d+(?:\s+over\s+(?:\d+[ydhms])+)?\))?|<unknown>|<invalid>"
_DESCRIBED = re.compile(
    rf"^\s*(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w*)\s+(?:(?P<age>{_AGE})\s+)?(?P<source>[\w.:/-]+(?:,\s[\w.:-]+)?)(?:\s+(?P<message>\S.*))?$"
)
_LISTED = re.compile(
    rf"^\s*(?:(?P<namespace>[a-z0-9][a-z0-9-]*)\s+)?(?P<age>{_AGE})\s+(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w*)\s+"
    r"(?P<object>[A-Za-z.]+/[\w.:-]+)\s+(?P<message>\S.*)$"
)
_OLD = re.compile(
    rf"^\s*(?P<first>{_AGE})\s+(?P<age>{_AGE})\s+(?P<count>\d+)\s+(?:\{{)?(?P<source>[\w.:/ -]+?)(?:\}})?\s+(?:"
    rf"(?P<path>spec\.\S+)\s+)?"
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

_MAX_COUNT_DIGITS = 9


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
        type=match["type"],
        reason=match["reason"],
        message=match["message"] or "",
        age=match["age"] or "",
        source=match["source"],
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
                object=f"{match['kind']}/{name if slash else namespace}", namespace=namespace if slash else "",
                field_path=match["path"] or "",
            )  # fmt: skip
    return None


def listed_line(line: str, columns: Sequence[Column]) -> EventLine | None:
    """Return the event on one row of an events table, or None; without columns the usual five are expected."""
    if columns:
        cells = {
            title.upper().replace(" ", ""): cell for title, cell in cells_of(line, tuple(columns)).items()
        }
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
        count=int(count) if count.isdigit() and len(count) <= _MAX_COUNT_DIGITS else None,
        source=cells.get("SOURCE", "") or cells.get("FROM", ""),
        object=cells.get("OBJECT", "") or named,
        namespace=cells.get("NAMESPACE", ""),
        field_path=cells.get("SUBOBJECT", ""),
    )
