"""Processes, services and clocks: `ps`, `systemctl status`, `chronyc tracking`, `timedatectl`."""

import re
from collections.abc import Sequence

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.columns import cells_of, columns_of
from firstfault.tools.readers.sheet import Sheet, measured, snake
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_PS_HEAD = re.compile(r"^\s*(?:USER|UID|PID|F S|S|STAT)\b.*\b(?:PID|CMD|COMMAND)\b")
_PS_ROW = re.compile(r"^\s*(?P<pid>\d{1,10})\s+(?P<state>[DRSTZIXt][sl+<NL]*)\s+(?P<command>\S.*)$")
_PS_COMMAND = re.compile(r"\bps\s+-\S*o?\s*\S*(?:pid|aux|ef)", re.IGNORECASE)
_UNIT = re.compile(
    r"^\s*[●○×*↻]\s+(?P<name>[\w@.\\:-]+\.(?:service|socket|mount|target|timer|slice|scope))(?:\s+-\s+(?P<what>.*))?$"
)
_UNIT_PAIR = re.compile(
    r"^\s+(?P<key>Loaded|Active|Main PID|Status|Tasks|Memory|Drop-In|Process|CPU): (?P<value>.*?)\s*$"
)
_CHRONY = re.compile(
    r"^(?P<key>Reference ID|Stratum|System time|Last offset|RMS offset|Frequency|Residual freq|Skew|Root delay|"
    r"Root dispersion|Update interval|Leap status)\s*: (?P<value>.*?)\s*$"
)
_TIMEDATE = re.compile(
    r"^\s*(?P<key>System clock synchronized|NTP service|NTP synchronized|Time zone|RTC in local TZ): (?P<value>.*?)\s*$"
)
PROCESS_SIGN = sign(
    r"^\s*(?:(?:USER|UID|F|S)\s+)*PID\s.*(?:CMD|COMMAND)|^\s*[●○×*↻]\s+[\w@.:-]+\.(?:service|socket|mount|timer)\b|"
    r"^(?:Reference ID|System time|Leap status)\s+: |^\s*System clock synchronized: |\bps -\w*o? "
)
_OFFSET = re.compile(r"^(?P<number>[-+]?[\d.]+) seconds(?: (?P<way>slow|fast))?")


def process_facts(document: Document) -> Sequence[Fact]:
    """Return `ps.state` per process, `systemd.*` per unit, `chrony.*` and `clock.*`."""
    return [*_processes(document), *_units(document), *_clocks(document)]


def _processes(document: Document) -> list[Fact]:
    sheet, header, is_ps = Sheet(document, "ps"), "", False
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        if _PS_HEAD.match(line) and "PID" in line:
            header, is_ps = line, True
            continue
        is_ps = is_ps or bool(_PS_COMMAND.search(line))
        if header:
            _put_process(sheet, cells_of(line, columns_of(_spaced(header))), number, document)
        elif is_ps:
            row = _PS_ROW.match(line)
            if row is not None:
                cells = {"PID": row["pid"], "STAT": row["state"], "COMMAND": row["command"]}
                _put_process(sheet, cells, number, document)
    return sheet.facts


def _spaced(header: str) -> str:
    """`ps` parts its columns with one space where numbers are wide: words of the header are columns here."""
    return re.sub(r"(?<=\S) (?=\S)", "  ", header)


def _put_process(sheet: Sheet, cells: dict[str, str], number: int, document: Document) -> None:
    pid, state = cells.get("PID", ""), cells.get("STAT") or cells.get("S") or ""
    command = cells.get("COMMAND") or cells.get("CMD") or ""
    if pid.isdigit() and command:
        entity = EntityRef(kind=EntityKind.PROCESS, name=pid, node=document.node)
        sheet.add("state", state or "?", number, labels={"pid": pid, "command": command}, entity=entity)


def _units(document: Document) -> list[Fact]:
    sheet = Sheet(document, "systemd")
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        unit, pair = _UNIT.match(line), _UNIT_PAIR.match(line)
        if unit is not None:
            sheet.entity = EntityRef(kind=EntityKind.SERVICE, name=unit["name"], node=document.node)
        elif pair is not None and sheet.entity is not None:
            value = pair["value"]
            if pair["key"] == "Active":
                sheet.add("active", value.split(" since ", 1)[0], number)
            else:
                sheet.add(snake(pair["key"]), value, number)
    return sheet.facts


def _clocks(document: Document) -> list[Fact]:
    sheet = Sheet(document, "chrony")
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        chrony, date = _CHRONY.match(line), _TIMEDATE.match(line)
        if chrony is not None:
            offset = _OFFSET.match(chrony["value"])
            if offset is None:
                sheet.measure(snake(chrony["key"]), chrony["value"], number)
            else:
                value, _ = measured(offset["number"])
                signed = -value if offset["way"] == "slow" and isinstance(value, int | float) else value
                sheet.add(f"{snake(chrony['key'])}_s", signed, number)
        elif date is not None:
            sheet.facts.append(
                Fact(
                    name=f"clock.{snake(date['key'])}",
                    value=date["value"],
                    document=document,
                    line=number,
                    entity=document.entity,
                )
            )
    return sheet.facts
