"""The table that `nvidia-smi` prints without options."""

import re
from collections.abc import Sequence

from firstfault.tools.evidence import Document
from firstfault.tools.readers.gpu.errors import gpu_entity
from firstfault.tools.readers.sheet import Sheet
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_VERSIONS = re.compile(
    r"NVIDIA-SMI\s+(?P<smi>\S+)\s+(?:Driver|KMD) Version:\s*(?P<driver>\S+)(?:\s+CUDA Version:\s*(?P<cuda>\S+))?"
)
_FIRST = re.compile(
    r"^\|\s*(?P<index>\d+)\s+(?P<name>\S.*?)\s+(?:(?P<persistence>On|Off)\s+)?\|\s*(?P<bdf>[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s+"
    r"(?P<display>On|Off|N/A)\s*\|\s*(?P<ecc>\S+)\s*\|"
)
_SECOND = re.compile(
    r"^\|\s*(?P<fan>ERR!|N/A|\d+%)\s+(?P<temp>ERR!|N/A|\d+C)\s+(?P<perf>P\d+|ERR!|N/A)\s+(?P<power>ERR!|N/A|\d+W)\s*/\s*(?P<cap>ERR!|N/A|\d+W)\s*\|\s*"
    r"(?P<used>ERR!|N/A|\d+MiB)\s*/\s*(?P<total>ERR!|N/A|\d+MiB)\s*\|\s*(?P<util>ERR!|N/A|\d+%)\s+(?P<mode>\S+)\s*\|"
)
_PROCESS = re.compile(
    r"^\|\s*(?P<index>\d+)\s+(?P<gi>N/A|\d+)\s+(?P<ci>N/A|\d+)\s+(?P<pid>\d+)\s+(?P<type>[CGM+]+)\s+(?P<name>\S.*?)\s+(?P<used>\d+MiB|N/A)\s*\|"
)
TABLE_SIGN = sign(
    r"^\|\s*NVIDIA-SMI\s+\S+|^\|\s*\d+\s+\S.*\|\s*[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d"
)
_MEASURES = (
    ("temp", "temperature"), ("power", "power_draw"), ("cap", "power_cap"), ("used", "memory_used"), ("total", "memory_total"),
    ("util", "gpu_utilization"), ("fan", "fan_speed"),
)  # fmt: skip


def table_facts(document: Document) -> Sequence[Fact]:
    """Return `smi.table.*`: versions, and per GPU name, ECC count, temperature, power, memory, utilization, state."""
    sheet = Sheet(document, "smi.table")
    for number, line in numbered(document):
        if not line.startswith("|"):
            continue
        versions, first = _VERSIONS.search(line), _FIRST.match(line)
        if versions is not None:
            _put_versions(sheet, versions, number)
        elif first is not None:
            _put_identity(sheet, first, number)
        elif sheet.entity is not None:
            _put_usage(sheet, line, number)
    return sheet.facts


def _put_versions(sheet: Sheet, versions: re.Match[str], number: int) -> None:
    sheet.add("driver_version", versions["driver"], number)
    if versions["cuda"]:
        sheet.add("cuda_version", versions["cuda"], number)


def _put_identity(sheet: Sheet, first: re.Match[str], number: int) -> None:
    sheet.entity = gpu_entity(first["bdf"], sheet.document)
    labels = {"index": first["index"]}
    sheet.add("name", first["name"].strip(), number, labels=labels)
    if first["ecc"] not in {"N/A", "Off"}:
        sheet.measure("ecc_volatile_uncorrected", first["ecc"], number, labels=labels)


def _put_usage(sheet: Sheet, line: str, number: int) -> None:
    usage, process = _SECOND.match(line), _PROCESS.match(line)
    if usage is not None:
        for group, name in _MEASURES:
            if usage[group] != "N/A":
                sheet.measure(name, usage[group], number)
        sheet.add("performance_state", usage["perf"], number)
    elif process is not None:
        labels = {"pid": process["pid"], "index": process["index"], "memory": process["used"]}
        sheet.add("process", process["name"], number, labels=labels)
    elif "ERR!" in line:
        sheet.add("error", line.strip("| \r"), number)
