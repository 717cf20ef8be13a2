"""Histories of releases: Helm, Argo CD, Flux, `kubectl rollout history`, and plans of Terraform."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firstfault.tools.context import ReadContext
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.columns import Column, cells_of, columns_of
from firstfault.tools.readers.kube.stamping import field_stamp, is_later
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Change

_HELM = re.compile(r"^REVISION\s+UPDATED\s+STATUS\s+CHART")
_ARGO = re.compile(r"^ID\s+DATE\s+REVISION")
_FLUX = re.compile(r"^(?:NAMESPACE\s+)?NAME\s+REVISION\s+SUSPENDED\s+READY\s+MESSAGE")
_ROLLOUT = re.compile(r"^REVISION\s+CHANGE-CAUSE")
_ROLLOUT_OF = re.compile(r"^(?P<kind>\w+)(?:\.apps)?/(?P<name>[\w.-]+)\s*$")
_PLAN = re.compile(
    r"^\s*# (?P<address>\S+)(?: \([^)]*\))? (?:will be|must be|has been|is tainted, so must be) (?P<act>\S.*?)\s*$"
)
_PLAN_LINE = re.compile(
    r"^\s*(?P<address>[a-z_][\w.\[\]\"-]+): (?P<act>Creation|Destruction|Modifications) complete"
)
_SUM = re.compile(r"^Plan: \d+ to add, \d+ to change, \d+ to destroy|^(?:Apply|Destroy) complete! Resources:")
RELEASE_SIGN = sign(
    r"^REVISION\s+UPDATED\s+STATUS\s+CHART|^ID\s+DATE\s+REVISION|^(?:NAMESPACE\s+)?NAME\s+REVISION\s+SUSPENDED\s+READY|^REVISION\s+CHANGE-CAUSE|"
    r"^\s*# \S+ (?:will|must) be \w+|^Plan: \d+ to add|^(?:Apply|Destroy) complete! Resources:"
)


_TOLD = ("NAME", "CHART", "APP VERSION", "STATUS", "READY", "DESCRIPTION", "MESSAGE", "CHANGE-CAUSE")


def release_changes(document: Document, context: ReadContext) -> Iterator[Change]:
    """Yield one change per revision, sync or planned act."""
    columns: tuple[Column, ...] = ()
    kind, subject = "", ""
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        found = _kind_of_header(line)
        rollout = _ROLLOUT_OF.match(line)
        if found:
            kind, columns = found, columns_of(line)
        elif rollout is not None:
            subject = rollout["name"]
        elif not line.strip():
            columns = ()
        elif columns:
            row = _Row(line=number, kind=kind, subject=subject, cells=cells_of(line, columns))
            change = _row(document, context, row)
            if not is_later(change.stamp, context):
                yield change
        else:
            yield from _planned(document, number, line)


def _kind_of_header(line: str) -> str:
    for header, kind in (
        (_HELM, "helm"),
        (_ARGO, "gitops_sync"),
        (_FLUX, "gitops_sync"),
        (_ROLLOUT, "deployment"),
    ):
        if header.match(line):
            return kind
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    line: int
    kind: str
    subject: str
    cells: Mapping[str, str]


def _row(document: Document, context: ReadContext, row: _Row) -> Change:
    cells = row.cells
    revision = cells.get("REVISION", "")
    parts = (cells[title] for title in _TOLD if cells.get(title))
    what = " ".join(filter(None, (row.subject, f"revision {revision}" if revision else "", *parts)))
    name = row.subject or cells.get("NAME") or cells.get("CHART") or ""
    return Change(
        what=what,
        document=document,
        line=row.line,
        line_end=row.line,
        kind=row.kind,
        stamp=field_stamp(cells.get("UPDATED") or cells.get("DATE") or "", document, row.line, context),
        scope=(EntityRef(kind=EntityKind.WORKLOAD, name=name),) if name else (),
    )


def _planned(document: Document, number: int, line: str) -> Iterator[Change]:
    plan, done = _PLAN.match(line), _PLAN_LINE.match(line)
    match = plan or done
    if match is not None:
        act = match["act"].lower()
        kind = "delete" if "destroy" in act or "destruction" in act else "config"
        scope = (EntityRef(kind=EntityKind.CONFIG, name=match["address"]),)
        yield Change(
            what=f"{match['address']} {match['act']}",
            document=document,
            line=number,
            line_end=number,
            kind=kind,
            scope=scope,
        )
    elif _SUM.match(line):
        yield Change(what=line.strip(), document=document, line=number, line_end=number, kind="config")
