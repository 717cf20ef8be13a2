"""State of jobs: Slurm's `sacct`, `squeue`, `scontrol show`, `sinfo`, and summaries of platforms as `Key: value`."""

import re
from collections.abc import Sequence

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.columns import cells_of, columns_of
from firstfault.tools.readers.sheet import Sheet, snake
from firstfault.tools.readers.signs import numbered
from firstfault.tools.readings import Fact

_SACCT_HEAD = re.compile(r"^\s*(?:JobID|JobIDRaw)\s+.*\b(?:State|ExitCode|JobName)\b")
_SQUEUE_HEAD = re.compile(r"^\s*JOBID\s+PARTITION\b|^\s*JOBID\s+.*\bST(?:ATE)?\b")
_SINFO_HEAD = re.compile(r"^\s*(?:PARTITION\s+AVAIL|NODELIST\s+NODES|HOSTNAMES)\b.*\bSTATE\b")
_SCONTROL = re.compile(r"^(?P<what>JobId|NodeName)=(?P<name>\S+)")
_SCONTROL_PAIR = re.compile(
    r"(?:^|\s)(?P<key>[A-Z][A-Za-z:/]*)=(?P<value>[^\s=][^=]*?)(?=\s+[A-Z][A-Za-z:/]*=|\s*$)"
)
_SUMMARY = re.compile(r"^(?P<key>[A-Z][A-Za-z /-]{2,40}):\s+(?P<value>\S.*?)\s*$")
_JOB_KEYS = {
    "JobState",
    "Reason",
    "ExitCode",
    "NodeList",
    "BatchHost",
    "RunTime",
    "TimeLimit",
    "StartTime",
    "EndTime",
    "Requeue",
    "Restarts",
    "NumNodes",
    "State",
}


def job_facts(document: Document) -> Sequence[Fact]:
    """Return `job.*` about jobs and `slurm.node.*` about nodes; a platform's summary gives `job.<key>`."""
    facts = [*_tables(document), *_scontrol(document)]
    return facts or _summary(document)


def _tables(document: Document) -> list[Fact]:
    sheet, header, prefix = Sheet(document, "job"), "", ""
    for number, raw in numbered(document):
        line = raw.rstrip("\r").replace("|", "  ")
        if _SACCT_HEAD.match(line) or _SQUEUE_HEAD.match(line):
            header, prefix = re.sub(r"(?<=\S) (?=\S)", "  ", line), "job"
        elif _SINFO_HEAD.match(line):
            header, prefix = re.sub(r"(?<=\S) (?=\S)", "  ", line), "node"
        elif not line.strip() or set(line) <= {"-", " "}:
            header = header if line.strip() else ""
        elif header:
            cells = cells_of(line, columns_of(header))
            job = cells.get("JobID") or cells.get("JobIDRaw") or cells.get("JOBID")
            name = job or cells.get("NODELIST") or cells.get("HOSTNAMES") or ""
            entity = (
                EntityRef(kind=EntityKind.JOB if prefix == "job" else EntityKind.NODE, name=name)
                if name
                else None
            )
            for title, cell in cells.items():
                sheet.add(
                    snake(title) if prefix == "job" else f"node.{snake(title)}", cell, number, entity=entity
                )
    return sheet.facts


def _scontrol(document: Document) -> list[Fact]:
    sheet, prefix = Sheet(document, "job"), ""
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        head = _SCONTROL.match(line)
        if head is not None:
            is_job = head["what"] == "JobId"
            prefix = "" if is_job else "node."
            sheet.entity = EntityRef(kind=EntityKind.JOB if is_job else EntityKind.NODE, name=head["name"])
        if sheet.entity is None:
            continue
        for pair in _SCONTROL_PAIR.finditer(line):
            if pair["key"] in _JOB_KEYS:
                sheet.add(
                    prefix + snake(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", pair["key"])),
                    pair["value"].strip(),
                    number,
                )
    return sheet.facts


def _summary(document: Document) -> list[Fact]:
    sheet = Sheet(document, "job")
    for number, raw in numbered(document):
        match = _SUMMARY.match(raw.rstrip("\r"))
        if match is not None:
            sheet.measure(snake(match["key"]), match["value"], number)
    return sheet.facts
