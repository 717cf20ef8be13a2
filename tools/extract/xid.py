"""Reads NVIDIA Xid lines completely: address, code, process, channel and what each code adds.

Formats: NVIDIA driver, `nv_error` output of branches 418 to 595; the register form of Xids 144-150 of NVLink 5; the
recovery-action summary 154; clean-up lines that name an earlier Xid (branch 590 and newer).
"""

import re

from firstfault.tools.catalogs.xids import XidEntry, xid_entries
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.extract.drafts import Draft, family_of, value_of
from firstfault.tools.extract.nvlink4 import decode_xid74
from firstfault.tools.extract.nvlink5 import decode_registers
from firstfault.tools.extract.speakers import Speaker
from firstfault.tools.extract.subjects import named
from firstfault.tools.kinds import Family
from firstfault.tools.signals import Value

_LINE = re.compile(
    r"\bXid \((?:PCI:)?(?P<bdf>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})(?P<function>\.[0-9a-fA-F])?"
    r"(?P<part>[^)]{0,40})\)[^:]{0,20}: "
    r"(?P<code>\d{1,3})(?:, ?(?P<tail>.*)|\s|$)",
    re.ASCII,
)
_MIG = re.compile(r"GPU-I:(\w+)")
_PROCESS = re.compile(r"pid='?(?P<pid>\d+|<unknown>)'?(?:, name='?(?P<name><unknown>|[^,']*)'?)?")
_CHANNEL = re.compile(r"\b(?:Ch|channel|ChID)[ :]+(?:0x)?(?P<channel>[0-9a-fA-F]{2,8})\b", re.ASCII)
_INTR = re.compile(r"\bintr (?P<intr>[0-9a-fA-F]{4,8})\b")
_PREVIOUS = re.compile(r"caused by previous Xid (?P<root>\d{1,3})")

_DETAILS: dict[int, tuple[re.Pattern[str], ...]] = {
    13: (
        re.compile(
            r"\(GPC (?P<gpc>\d+), TPC (?P<tpc>\d+)(?:, SM (?P<sm>\d+))?\)(?:: (?P<exception>[^,(]{1,80}))?"
        ),
        re.compile(r"ESR (?P<esr>0x[0-9a-f]+)=(?P<esr_value>0x[0-9a-f]+)"),
    ),
    31: (
        re.compile(
            r"MMU Fault: ENGINE (?P<engine>\S+)(?: (?P<client>\S+))? faulted @ (?P<addr>0x[0-9a-fA-F_]+)"
            r"(?:\. Fault is of type (?P<fault>FAULT_\w+)(?: (?P<access>ACCESS_TYPE_\w+))?)?"
        ),
    ),
    48: (
        re.compile(
            r"in the (?P<where>framebuffer|\w+)(?: at partition (?P<partition>\d+), subpartition (?P<subpartition>\d+))?"
        ),
    ),
    63: (
        re.compile(
            r"(?P<remap>(?:New row marked for remapping|row remap\w* pending|[Pp]age retire\w+)[^,]{0,60})"
        ),
    ),
    64: (
        re.compile(r"(?P<remap>All reserved rows for bank are remapped|Failed to (?:set|record)[^,]{0,60})"),
    ),
    94: (
        re.compile(r"Contained: (?P<unit>\w+)(?: \((?P<subunit>0x[0-9a-f]+)\))?"),
        re.compile(r"RST: (?P<reset>Yes|No)"),
    ),
    95: (
        re.compile(r"Uncontained: (?P<unit>\w+)(?: \((?P<subunit>0x[0-9a-f]+)\))?"),
        re.compile(r"RST: (?P<reset>Yes|No)"),
    ),
    119: (
        re.compile(
            r"(?:Timeout (?:after (?P<after_s>\d+)s of )?waiting for RPC (?:response )?from (?:GPU(?P<gpu_index>\d+) )?GSP)"
            r"!?(?: Expected function (?P<function_no>\d+) \((?P<function>\w+)\))?"
        ),
    ),
    120: (
        re.compile(r"GSP task (?P<task>\w+)?.{0,40}?(?P<what>exception|timeout|error|crash)", re.IGNORECASE),
    ),
    154: (
        re.compile(
            r"changed from 0x[0-9a-fA-F]+ \((?P<old>[^)]*)\) to 0x(?P<recovery>[0-9a-fA-F]+) \((?P<new>[^)]*)\)"
        ),
    ),
}
_REGISTERS = re.compile(
    r"(?P<unit>[A-Za-z0-9_/ ]+?)\s+(?P<severity>Fatal|Nonfatal|Non-fatal)\s+XC(?P<cross_contained>[01])\s+i(?P<injected>\d+)\s+"
    r"Link\s+(?P<link>-?\d+)(?:\s+\((?P<intrinfo>0x[0-9a-fA-F]+)\s+(?P<error_status>0x[0-9a-fA-F]+))?"
)
_NVLINK5_CODES = range(144, 151)
_PROGRAM_CODES = frozenset({13, 31, 43, 68, 69, 94, 109})
"""Codes where it matters whether one program or several met them: the process is part of what makes repeats the same."""
_PASSING = frozenset({"addr", "esr_value", "function", "function_no", "subunit"})


def parse(line: str, document: Document, speaker: Speaker, driver_branch: int | None) -> Draft | None:
    """Return what an Xid line says, or None when it holds none. driver_branch: see `nvlink5`."""
    match = _LINE.search(line)
    if match is None:
        return None
    code, tail = int(match["code"]), match["tail"] or ""
    attributes, passing = _common(code, tail)
    mig = _MIG.search(match["part"])
    if mig is not None:
        attributes["mig"] = mig[1]
    for key, value in {**_details(code, tail), **_nvlink(code, tail, driver_branch)}.items():
        (passing if key in _PASSING else attributes)[key] = value
    gpu = named(EntityKind.GPU, match["bdf"] + (match["function"] or ""), document, speaker)
    return xid_draft(code, gpu, family_of(document, Family.KERNEL), attributes, passing)


def xid_draft(
    code: int,
    entity: EntityRef,
    family: Family,
    attributes: dict[str, Value],
    passing: dict[str, Value] | None = None,
) -> Draft:
    """Return the draft of an Xid, with what the catalogue knows of its code."""
    entry = xid_entries().get(code)
    return Draft(
        name=f"xid.{code}",
        entity=entity,
        family=family,
        attributes={"xid": code, **attributes},
        passing=passing or {},
        facts=_catalogue(entry) if entry is not None else {"in_catalogue": False},
    )


def _common(code: int, tail: str) -> tuple[dict[str, Value], dict[str, Value]]:
    attributes: dict[str, Value] = {}
    passing: dict[str, Value] = {}
    process = _PROCESS.search(tail)
    if process is not None:
        told = attributes if code in _PROGRAM_CODES else passing
        if process["pid"].isdigit():
            told["pid"] = int(process["pid"])
        if process["name"] and process["name"] != "<unknown>":
            told["process"] = process["name"]
    for pattern, key in ((_CHANNEL, "channel"), (_INTR, "intr")):
        found = pattern.search(tail)
        if found is not None:
            passing[key] = found[key]
    previous = _PREVIOUS.search(tail)
    if previous is not None:
        attributes["root_xid"] = int(previous["root"])
    return attributes, passing


def _details(code: int, tail: str) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for pattern in _DETAILS.get(code, ()):
        match = pattern.search(tail)
        if match is not None:
            found.update({key: value_of(value.strip()) for key, value in match.groupdict().items() if value})
    if code == 154 and "new" in found:  # noqa: PLR2004 - the recovery summary
        found["recovered"] = found["new"] == "None"
    return found


def _nvlink(code: int, tail: str, driver_branch: int | None) -> dict[str, Value]:
    if code == 74:  # noqa: PLR2004 - NVLink 4 and older
        return decode_xid74(tail)
    if code not in _NVLINK5_CODES:
        return {}
    return nvlink5_fields(code, tail, driver_branch)


def nvlink5_fields(code: int, text: str, driver_branch: int | None) -> dict[str, Value]:
    """Return the fields of the register form of Xids 144-150 that `text` holds, with their meaning; {} without one."""
    match = _REGISTERS.search(text)
    if match is None:
        return {}
    unit = match["unit"].strip().rsplit(", ", 1)[-1]
    found: dict[str, Value] = {
        "unit": unit,
        "severity": match["severity"],
        "cross_contained": match["cross_contained"] == "1",
        "injected": match["injected"] != "0",
    }
    if int(match["link"]) >= 0:
        found["link"] = int(match["link"])
    if match["intrinfo"]:
        intrinfo, status = int(match["intrinfo"], 16), int(match["error_status"], 16)
        found.update(intrinfo=match["intrinfo"], error_status=match["error_status"])
        found.update(decode_registers(code, unit, intrinfo, status, driver_branch).attributes)
    return found


def _catalogue(entry: XidEntry) -> dict[str, Value]:
    facts: dict[str, Value] = {
        "mnemonic": entry.mnemonic,
        "meaning": entry.meaning,
        "layer": entry.layer,
        "first_suspect": entry.first_suspect,
    }
    facts.update({f"action_{who}": what for who, what in entry.says})
    if entry.disagreement:
        facts["disagreement"] = entry.disagreement
    return facts
