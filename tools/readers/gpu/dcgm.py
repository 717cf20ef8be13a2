"""dcgmi: diagnostics, health, NVLink counters and status."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firstfault.tools.evidence import Document
from firstfault.tools.readers.gpu.errors import gpu_entity
from firstfault.tools.readers.sheet import Sheet, snake
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

DCGM_SIGN = sign(
    r"^\|\s*(?:Diagnostic|Health Monitor Report|Overall Health|Link Status|NVLINK Error Counts|DCGM Version|Denylist|"
    r"Blacklist|NVML Library|GPU Memory|"
    r"Integration|PCIe|Targeted \w+|Memtest|Diagnostic|EUD)\s.*\||^\|[\w /-]{1,60}\|\s*(?i:Pass|Fail|Skip|Warn)\b|"
    r"successfully ran diagnostic|NvLink Link Status|^\s*gpuId \d+:|^Successfully retrieved health"
)
_ROW = re.compile(r"^\|(?P<name>[^|]*)\|(?P<cell>[^|]*)(?:\|)?\s*$")
_VERDICT = re.compile(r"^(?P<result>Pass|Fail|Skip|Warn)(?:ed)?\b(?:\s*-\s*(?P<rest>.*))?$", re.IGNORECASE)
_LISTED = re.compile(r"GPUs?: (?P<list>[\d, ]+)")
_LINK_COUNTER = re.compile(r"^\|\s*Link (?P<link>\d+)\s*\|\s*(?P<name>[\w ]+?)\s*\|\s*(?P<value>\d+)\s*\|")
_GPU_TITLE = re.compile(r"^\|\s*GPU (?P<index>\d+)\s*\|?")
_STATUS = re.compile(r"^\s*(?:gpuId |GPU )(?P<index>\d+):\s*$")
_STATES = re.compile(r"^\s*(?P<states>[UDX_](?: [UDX_])*)\s*$")
_WORDS = {"U": "up", "D": "down", "X": "disabled"}


@dataclass(slots=True)
class _Row:
    line: int
    name: str
    text: str


def dcgm_facts(document: Document) -> Sequence[Fact]:
    """Return `dcgm.diag.*`, `dcgm.health.*` and `dcgm.nvlink.*`; texts broken over rows are joined."""
    sheet = Sheet(document, "dcgm")
    is_health = "Health Monitor Report" in document.text or "Overall Health" in document.text
    test = ""
    for row in _rows(document):
        name = row.name.strip("-> ")
        match = _VERDICT.match(row.text)
        if is_health:
            _put_health(sheet, row, name)
        elif match is not None:
            test = name or test
            _put_result(sheet, row, test, match)
        elif name.lower() in {"warning", "info", "error"} or (test and not name):
            sheet.add(
                f"diag.{snake(name) or 'warning'}", row.text, row.line, labels={"test": test} if test else {}
            )
        elif name and row.text and name.lower() != "diagnostic":
            sheet.add(f"diag.{snake(name)}", row.text, row.line)
    _put_links(sheet, document)
    return sheet.facts


def _rows(document: Document) -> Iterator[_Row]:
    """Yield the rows of two-column tables; a row without a name that goes on with text belongs to the row above."""
    pending: _Row | None = None
    for number, raw in numbered(document):
        match = _ROW.match(raw.rstrip("\r"))
        if match is None:
            continue
        name, cell = match["name"].strip(), match["cell"]
        text = cell.removeprefix(" ")
        if not name and pending is not None and not _VERDICT.match(text.strip()):
            pending.text = _joined(pending.text, text)
            continue
        if pending is not None:
            yield _clean(pending)
        pending = _Row(number, name, text)
    if pending is not None:
        yield _clean(pending)


def _joined(before: str, after: str) -> str:
    """Cells are cut at a fixed width in the middle of words: put them together as they were."""
    return before.removesuffix("  ") + after if before.endswith("  ") else before.rstrip() + " " + after


def _clean(row: _Row) -> _Row:
    return _Row(row.line, row.name, " ".join(row.text.split()))


def _put_result(sheet: Sheet, row: _Row, test: str, match: re.Match[str]) -> None:
    rest = match["rest"] or ""
    listed = _LISTED.search(rest)
    result = match["result"].capitalize()
    if listed is None:
        sheet.add("diag.result", result, row.line, labels={"test": test})
        return
    for index in re.findall(r"\d+", listed["list"]):
        sheet.add(
            "diag.result", result, row.line, labels={"test": test}, entity=gpu_entity(index, sheet.document)
        )


def _put_health(sheet: Sheet, row: _Row, name: str) -> None:
    if re.fullmatch(r"(?:GPU )?\d+", name):
        sheet.entity = gpu_entity(name.removeprefix("GPU "), sheet.document)
    if row.text and name:
        label = "overall" if name.lower() == "overall health" else "system"
        sheet.add(
            f"health.{label}", row.text, row.line, labels={} if label == "overall" else {"system": name}
        )


def _put_links(sheet: Sheet, document: Document) -> None:
    for number, raw in numbered(document):
        title, counter = _GPU_TITLE.match(raw) or _STATUS.match(raw), _LINK_COUNTER.match(raw)
        states = _STATES.match(raw.rstrip("\r"))
        if title is not None:
            sheet.entity = gpu_entity(title["index"], document)
        elif counter is not None:
            sheet.add(
                f"nvlink.{snake(counter['name'])}",
                int(counter["value"][:18]),
                number,
                labels={"link": counter["link"]},
            )
        elif states is not None and sheet.entity is not None:
            for link, state in enumerate(states["states"].split()):
                if state in _WORDS:
                    sheet.add("nvlink.state", _WORDS[state], number, labels={"link": str(link)})
