"""Limits of processes: `ulimit -a`, limits.conf, /proc/PID/limits."""

import re
from collections.abc import Sequence

from firstfault.tools.evidence import Document
from firstfault.tools.readers.sheet import Sheet, snake
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_ULIMIT = re.compile(
    r"^(?P<name>[a-z][a-z -]+?)\s+\((?:(?P<unit>[\w -]+), )?-(?P<flag>\w)\)\s+(?P<value>unlimited|\d+)\s*$"
)
_CONF = re.compile(
    r"^\s*(?P<who>[*@%\w.:-]+)\s+(?P<type>soft|hard|-)\s+(?P<item>core|data|fsize|memlock|nofile|rss|stack|cpu|nproc|as|maxlogins|priority|locks|sigpending|"
    r"msgqueue|nice|rtprio)\s+(?P<value>unlimited|infinity|-?\d+)\s*$"
)
_PROC = re.compile(
    r"^Max (?P<name>[a-z][a-z -]+?)\s{2,}(?P<soft>unlimited|\d+)\s+(?P<hard>unlimited|\d+)(?:\s+(?P<unit>\w+))?\s*$"
)
LIMITS_SIGN = sign(
    r"^[a-z][a-z -]+\s+\([^)\n]*-\w\)\s+(?:unlimited|\d+)\s*$|^\s*[*@%\w.:-]+\s+(?:soft|hard)\s+\w+\s+(?:unlimited|"
    r"infinity|-?\d+)\s*$|"
    r"^Max [a-z][a-z -]+\s{2,}\S+\s+\S+"
)
_SUFFIX = {"kbytes": "_kib", "512 bytes": "_512_bytes", "seconds": "_s", "blocks": "_blocks"}


def limit_facts(document: Document) -> Sequence[Fact]:
    """Return `ulimit.<name>` and `limits.<item>`; `unlimited` stays a word."""
    sheet = Sheet(document, "ulimit")
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        shell, conf, proc = _ULIMIT.match(line), _CONF.match(line), _PROC.match(line)
        if shell is not None:
            sheet.add(
                snake(shell["name"]) + _SUFFIX.get(shell["unit"] or "", ""), _value(shell["value"]), number
            )
        elif conf is not None:
            sheet.add(
                f"conf.{conf['item']}",
                _value(conf["value"]),
                number,
                labels={"who": conf["who"], "type": conf["type"]},
            )
        elif proc is not None:
            name = "max_" + snake(proc["name"]) + ("_bytes" if proc["unit"] == "bytes" else "")
            sheet.add(name, _value(proc["soft"]), number, labels={"hard": proc["hard"]})
    return sheet.facts


def _value(text: str) -> int | str:
    return int(text[:18]) if text.lstrip("-").isdigit() else text
