"""The table of conditions, whichever columns it has."""

from firstfault.tools.readers.columns import Column, cells_of, columns_of
from firstfault.tools.readers.kube.describe.outline import Entry
from firstfault.tools.readers.kube.describe.parts import time_text
from firstfault.tools.readers.kube.draft import Draft

_FIELDS = {
    "type": "type", "status": "status", "reason": "reason", "message": "message", "lastheartbeattime": "lastHeartbeatTime",
    "lasttransitiontime": "lastTransitionTime", "lastprobetime": "lastProbeTime", "lastupdatetime": "lastUpdateTime",
}  # fmt: skip
_TIMES = {"lastHeartbeatTime", "lastTransitionTime", "lastProbeTime", "lastUpdateTime"}
_LEAST_COLUMNS = 2


def put_conditions(draft: Draft, entry: Entry | None, raw_lines: list[str]) -> None:
    """Fill `status.conditions` from the table below `entry`; `raw_lines` are the lines of the document."""
    if entry is None:
        return
    draft.touch_list("status", "conditions", line=entry.line)
    rows = [row for row in entry.below if not row.text.startswith("----")]
    if not rows:
        return
    header = raw_lines[rows[0].line - 1].rstrip("\r")
    columns = columns_of(header)
    if columns[:1] and columns[0].title.lower() != "type":
        columns, body = (), rows
    else:
        body = rows[1:]
    for row in body:
        if set(row.text) <= {"-", " "}:
            continue
        cells = _cells(raw_lines[row.line - 1].rstrip("\r"), columns)
        if len(cells) < _LEAST_COLUMNS:
            continue
        condition = draft.append("status", "conditions", line=row.line)
        for title, cell in cells.items():
            name = _FIELDS.get(title.lower())
            if name is not None:
                condition.put(name, value=time_text(cell) if name in _TIMES else cell, line=row.line)


def _cells(line: str, columns: tuple[Column, ...]) -> dict[str, str]:
    if columns:
        return cells_of(line, columns)
    words = line.split(maxsplit=1)
    return dict(zip(("type", "status"), words, strict=False))
