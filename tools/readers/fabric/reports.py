"""Reports about single links and their counters: mlxlink, `rdma statistic`, counters in sysfs, ibdiagnet."""

import re
from collections.abc import Sequence

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.fabric.adapters import port
from firstfault.tools.readers.sheet import Sheet, snake
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_MLXLINK_HEAD = re.compile(r"mlxlink\b.*?(?:-d|--device)[ =](?P<device>[\w.:/-]+)")
_MLXLINK = re.compile(
    r"^(?P<key>State|Physical state|Speed|Width|Recommendation|Time Since Last Clear \[Min\]|Symbol Errors|Symbol BER|"
    r"Effective Physical (?:Errors|BER)|Raw Physical BER|Link Down Counter|Link Error Recovery Counter|"
    r"Temperature \[C\])\s+: (?P<value>.+?)\s*$"
)
_RDMA = re.compile(r"^link (?P<device>[\w.-]+)/(?P<port>\d+) (?P<pairs>(?:\w+ \d+ ?)+)$")
_PAIR = re.compile(r"(\w+) (\d+)")
_SYSFS = re.compile(
    r"^(?:/sys/class/infiniband/)?(?P<device>[\w.-]+)/ports/(?P<port>\d+)/(?:hw_)?counters/(?P<name>\w+):(?P<value>\d+)\s*$"
)
_DIAGNET = re.compile(
    r"^-[EW]- .*?[Pp]ort=(?P<port>\d+) lid=(?P<lid>0x[0-9a-f]+)\s+(?P<owner>\S.*?): (?P<name>[a-z_]+)=(?P<value>\d+)\b"
)
_DIAGNET_NEW = re.compile(
    r"^-[EW]- (?:lid=(?P<lid>0x[0-9a-f]+) )?.*?(?P<owner>[\w.-]+)/P(?P<port>\d+)\)?.*?"
    r"\b(?P<name>[a-z_]+(?:counter|errors|wait|discards|downed)\w*)\s*[=:]+\s*(?P<value>\d+)\b"
)
REPORT_SIGN = sign(
    r"\bmlxlink\b|^(?:Effective|Raw) Physical (?:BER|Errors)\s+: |^Troubleshooting Info|^link \S+/\d+ \w+ \d+ \w+ \d+|"
    r"/ports/\d+/(?:hw_)?counters/\w+:\d+|^-[EW]- "
)


def report_facts(document: Document) -> Sequence[Fact]:
    """Return `mlxlink.*`, `rdma.counter.*` and `ib.counter.*` of the links that a report names."""
    facts: list[Fact] = []
    for reader in (_mlxlink, _rdma, _sysfs, _diagnet):
        facts += reader(document)
    return facts


def _mlxlink(document: Document) -> list[Fact]:
    sheet = Sheet(document, "mlxlink")
    for number, line in numbered(document):
        head, pair = _MLXLINK_HEAD.search(line), _MLXLINK.match(line)
        if head is not None:
            sheet.entity = EntityRef(kind=EntityKind.PORT, name=head["device"], node=document.node)
        elif pair is not None:
            sheet.measure(snake(pair["key"]), pair["value"], number)
    return sheet.facts


def _rdma(document: Document) -> list[Fact]:
    sheet = Sheet(document, "rdma")
    for number, line in numbered(document):
        match = _RDMA.match(line.strip())
        if match is not None:
            about = port(match["device"], match["port"], document)
            for name, value in _PAIR.findall(match["pairs"]):
                sheet.add(f"counter.{name}", int(value[:20]), number, entity=about)
    return sheet.facts


def _sysfs(document: Document) -> list[Fact]:
    sheet = Sheet(document, "ib.counter")
    for number, line in numbered(document):
        match = _SYSFS.match(line)
        if match is not None:
            about = port(match["device"], match["port"], document)
            sheet.add(_counter(match["name"]), int(match["value"][:20]), number, entity=about)
    return sheet.facts


def _diagnet(document: Document) -> list[Fact]:
    sheet = Sheet(document, "ib.counter")
    for number, line in numbered(document):
        match = _DIAGNET.match(line) or _DIAGNET_NEW.match(line)
        if match is not None:
            about = EntityRef(kind=EntityKind.PORT, name=f"{match['owner']}/{match['port']}")
            sheet.add(_counter(match["name"]), int(match["value"][:20]), number, entity=about)
    return sheet.facts


def _counter(name: str) -> str:
    """Return the name that `perfquery` gives the counter."""
    return _NAMES.get(name, name)


_NAMES = {
    "symbol_error": "symbol_error_counter",
    "link_error_recovery": "link_error_recovery_counter",
    "link_downed": "link_downed_counter",
}
