"""Adapters and their ports: ibstat, ibstatus, ibv_devinfo, show_gids, `rdma link`."""

import re
from collections.abc import Sequence

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document
from firstfault.tools.readers.sheet import Sheet, snake
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_ADAPTER = re.compile(
    r"^(?:CA '(?P<ca>[^']+)'|hca_id:\s*(?P<hca>\S+)|Infiniband device '(?P<ib>[^']+)' port (?P<port>\d+) status:)"
)
_PORT = re.compile(r"^\s*[Pp]ort:?\s+(?P<port>\d+):?\s*$")
_PAIR = re.compile(r"^\s*(?P<key>[A-Za-z_][\w. ]*?):\s+(?P<value>\S.*?)\s*$")
_GID = re.compile(r"^\s*GID\[\s*(?P<index>\d+)\]:\s+(?P<gid>[0-9a-fA-F:.]+)(?:,\s*(?P<type>.*?))?\s*$")
_SHOW_GID = re.compile(
    r"^(?P<device>\w+)\s+(?P<port>\d+)\s+(?P<index>\d+)\s+(?P<gid>[0-9a-f:]{39})\s+(?:(?P<ip>[\d.]+)\s+)?(?P<type>v[12])\s+(?P<netdev>\S+)"
)
_RDMA = re.compile(
    r"^(?:\d+/\d+: |link )(?P<device>[\w-]+)/(?P<port>\d+):? state (?P<state>\w+) physical_state "
    r"(?P<physical>\w+)(?: netdev (?P<netdev>\S+))?"
)
_PHASE = re.compile(r"^\s*\d+:\s*(?P<word>.*)$")
ADAPTER_SIGN = sign(
    r"^CA '[^']+'|^hca_id:\s|^Infiniband device '|^\s*GID\[\s*\d+\]:|^(?:\d+/\d+: |"
    r"link )[\w-]+/\d+:? state \w+ physical_state|^\w+\s+\d+\s+\d+\s+[0-9a-f:]{39}\s"
)
_RENAMED = {
    "physical_state": "physical_state",
    "phys_state": "physical_state",
    "firmware_version": "firmware_version",
    "fw_ver": "firmware_version",
}


def adapter(name: str, document: Document) -> EntityRef:
    """Return the adapter called `name` on the document's node."""
    return EntityRef(kind=EntityKind.ADAPTER, name=name, node=document.node)


def port(device: str, number: str, document: Document) -> EntityRef:
    """Return a port of an adapter on the document's node, as `mlx5_0/1`."""
    return EntityRef(kind=EntityKind.PORT, name=f"{device}/{number}", node=document.node)


def adapter_facts(document: Document) -> Sequence[Fact]:
    """Return `ib.ca.*` per adapter, `ib.port.*` per port (state, physical_state, rate, mtu …), `ib.gid` per GID."""
    sheet = Sheet(document, "ib")
    device, section = "", "ca"
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        found, at_port = _ADAPTER.match(line), _PORT.match(line)
        if found is not None:
            device = found["ca"] or found["hca"] or found["ib"]
            section = "port" if found["port"] else "ca"
            sheet.entity = (
                port(device, found["port"], document) if found["port"] else adapter(device, document)
            )
        elif at_port is not None and device:
            section, sheet.entity = "port", port(device, at_port["port"], document)
        elif not _one_line(sheet, line, number):
            pair = _PAIR.match(line)
            if pair is not None and device:
                name = snake(pair["key"])
                value = _PHASE.match(pair["value"])
                sheet.measure(
                    f"{section}.{_RENAMED.get(name, name)}",
                    value["word"] if value else _bare(pair["value"]),
                    number,
                )
    return sheet.facts


def _bare(value: str) -> str:
    """`PORT_ACTIVE (4)` and `1024 (3)` carry the code beside the word: keep the word."""
    return re.sub(r"\s+\(\d+\)$", "", value)


def _one_line(sheet: Sheet, line: str, number: int) -> bool:
    gid, shown, rdma = _GID.match(line), _SHOW_GID.match(line), _RDMA.match(line)
    if gid is not None:
        sheet.add("gid", gid["gid"], number, labels={"index": gid["index"], "type": gid["type"] or ""})
    elif shown is not None:
        labels = {"index": shown["index"], "type": f"RoCE {shown['type']}", "netdev": shown["netdev"]}
        sheet.add(
            "gid",
            shown["gid"],
            number,
            labels=labels,
            entity=port(shown["device"], shown["port"], sheet.document),
        )
    elif rdma is not None:
        entity = port(rdma["device"], rdma["port"], sheet.document)
        labels = {"netdev": rdma["netdev"]} if rdma["netdev"] else {}
        sheet.add("port.state", rdma["state"].capitalize(), number, labels=labels, entity=entity)
        sheet.add("port.physical_state", rdma["physical"], number, labels=labels, entity=entity)
    else:
        return False
    return True
