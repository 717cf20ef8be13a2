"""Links and counters: iblinkinfo, perfquery, ethtool, `ip -s link`, networkctl."""

import re
from collections.abc import Sequence

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.fabric.adapters import port
from firstfault.tools.readers.sheet import Sheet, snake
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_LINK_OWNER = re.compile(r"^(?:CA|Switch):? (?:0x\S+ )?(?P<name>.+?):?\s*$")
_LINK = re.compile(
    r'^\s*(?P<guid>0x[0-9a-f]+)?\s*(?:"[^"]*"\s+)?(?P<lid>\d+)\s+(?P<port>\d+)\[[^\]]*\]\s*==\(\s*(?P<link>.*?)\s*\)==>\s*(?P<peer>.*?)\s*(?:\(\s*(?P<note>[^)]*)\))?\s*$'
)
_LINK_PARTS = re.compile(
    r"(?:\b(?P<width>\d{1,2}X)\s+(?P<speed>[\d.]+ Gbps)\s+)?(?P<state>Active|Down|Init|Armed)/\s*(?P<physical>\w+)"
)
_PERF_HEAD = re.compile(r"^# Port (?:extended )?counters: (?:Lid (?P<lid>\d+) )?port (?P<port>\d+)")
_PERF = re.compile(r"^(?P<name>[A-Z]\w+):\.+(?P<value>\d+)\s*$")
_ETHTOOL_HEAD = re.compile(r"^Settings for (?P<name>\S+):\s*$")
_ETHTOOL = re.compile(
    r"^\t(?P<key>Speed|Duplex|Link detected|Port|Auto-negotiation|FEC|Link partner advertised pause frame use): "
    r"(?P<value>.+?)\s*$"
)
_STATS_HEAD = re.compile(r"^NIC statistics:\s*$")
_STAT = re.compile(r"^\s+(?P<name>[\w.\[\]-]+): (?P<value>\d+)\s*$")
_PICKED = re.compile(
    r"(?:rx|tx|roce|rnr|np|rp)_\w+|out_of_\w+|packet_seq_err|local_ack_timeout_err|link_down_events\w*"
)
"""Counters that people pick out of the list with grep: they need no heading to be known."""
_IP_HEAD = re.compile(
    r"^\d+: (?P<name>[\w.@-]+): <(?P<flags>[^>]*)> mtu (?P<mtu>\d+)(?:.*? state (?P<state>\w+))?"
)
_IP_STATS = re.compile(r"^\s+(?P<way>RX|TX):\s+bytes\s+packets\s+errors\s+dropped")
_NETWORKCTL = re.compile(r"^[●*]?\s*\d+: (?P<name>[\w.-]+)\s*$")
_NETWORKCTL_PAIR = re.compile(
    r"^\s+(?P<key>Type|State|Online state|Path|Driver|Model|MTU): (?P<value>\S.*?)\s*$"
)
LINK_SIGN = sign(
    r"==\([^)\n]{0,200}\)==>|^# Port (?:extended )?counters:|^Settings for \S+:|^NIC statistics:|"
    r"^\d+: [\w.@-]+: <[A-Z_,-]+> mtu \d+|^[●*]?\s*\d+: [\w.-]+\s*\n\s+Link File:|"
    r"^[A-Z]\w+:\.{5,}\d+\s*$|^\s+(?:rx|tx|roce|rnr|np|rp)_\w+: \d+\s*$"
)
_QUOTED = re.compile(r'"([^"]*)"')
_LEAST_IP_CELLS = 4


def _netdev(name: str, document: Document) -> EntityRef:
    return EntityRef(kind=EntityKind.ADAPTER, name=name, node=document.node)


def link_facts(document: Document) -> Sequence[Fact]:
    """Return `ib.link.*`, `ib.counter.*`, `eth.*` and `net.*`: state, width, speed and counters of links."""
    sheet = Sheet(document, "net")
    facts: list[Fact] = []
    for reader in (_fabric_links, _perf_counters, _ethtool, _ip_links, _networkctl):
        facts += reader(document)
    facts += sheet.facts
    return facts


def _fabric_links(document: Document) -> list[Fact]:
    sheet, owner = Sheet(document, "ib.link"), ""
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        match = _LINK.match(line) if "==(" in line else None
        head = _LINK_OWNER.match(line)
        if match is None:
            owner = head["name"] if head is not None else owner
            continue
        parts = _LINK_PARTS.search(match["link"])
        if parts is None:
            continue
        entity = EntityRef(
            kind=EntityKind.PORT, name=f"{owner or match['guid'] or match['lid']}/{match['port']}"
        )
        named = _QUOTED.search(match["peer"])
        labels = {"peer": named[1] if named else match["peer"].strip(" []"), "lid": match["lid"]}
        for name in ("state", "physical", "width", "speed"):
            if parts[name]:
                sheet.add(name, parts[name], number, labels=labels, entity=entity)
        if match["note"] and match["note"].strip():
            sheet.add("note", match["note"].strip(), number, labels=labels, entity=entity)
    return sheet.facts


def _perf_counters(document: Document) -> list[Fact]:
    sheet, device = Sheet(document, "ib.counter"), document.labels.get("adapter", "")
    for number, raw in numbered(document):
        head, counter = _PERF_HEAD.match(raw), _PERF.match(raw.rstrip("\r"))
        if head is not None:
            sheet.entity = port(device or f"lid{head['lid'] or ''}", head["port"], document)
        elif counter is not None:
            sheet.add(
                re.sub(r"(?<=[a-z])(?=[A-Z])", "_", counter["name"]).lower(),
                int(counter["value"][:20]),
                number,
            )
    return sheet.facts


def _ethtool(document: Document) -> list[Fact]:
    sheet, in_stats = Sheet(document, "eth"), False
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        head, pair, stat = _ETHTOOL_HEAD.match(line), _ETHTOOL.match(line), _STAT.match(line)
        if head is not None:
            sheet.entity, in_stats = _netdev(head["name"], document), False
        elif _STATS_HEAD.match(line):
            in_stats = True
        elif pair is not None:
            sheet.measure(snake(pair["key"]), pair["value"], number)
        elif stat is not None and (in_stats or _PICKED.fullmatch(stat["name"])):
            sheet.add(f"counter.{stat['name'].lower()}", int(stat["value"][:20]), number)
    return sheet.facts


def _ip_links(document: Document) -> list[Fact]:
    sheet, way = Sheet(document, "net"), ""
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        head, stats = _IP_HEAD.match(line), _IP_STATS.match(line)
        if head is not None:
            sheet.entity, way = _netdev(head["name"].partition("@")[0], document), ""
            sheet.add("mtu", int(head["mtu"][:9]), number)
            if head["state"]:
                sheet.add("state", head["state"], number)
            if "NO-CARRIER" in head["flags"]:
                sheet.add("carrier", value=False, line=number)
            continue
        cells = line.split()
        if stats is not None:
            way = stats["way"].lower()
        elif (
            way and len(cells) >= _LEAST_IP_CELLS and all(cell.isdigit() for cell in cells[:_LEAST_IP_CELLS])
        ):
            for name, cell in zip(("bytes", "packets", "errors", "dropped"), cells, strict=False):
                sheet.add(f"{way}_{name}", int(cell[:20]), number)
            way = ""
    return sheet.facts


def _networkctl(document: Document) -> list[Fact]:
    sheet = Sheet(document, "networkctl")
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        head, pair = _NETWORKCTL.match(line), _NETWORKCTL_PAIR.match(line)
        if head is not None:
            sheet.entity = _netdev(head["name"], document)
        elif pair is not None and sheet.entity is not None:
            sheet.add(snake(pair["key"]), pair["value"], number)
    return sheet.facts
