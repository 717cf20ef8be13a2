"""The written forms of a time at the head of a line, and inside it where a key makes it unmistakable."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from firstfault.tools.stamps.calendar import ABBREVIATIONS
from firstfault.tools.stamps.captures import (
    ctime_moment,
    epoch_moment,
    iso_moment,
    klog_moment,
    kmsg_moment,
    named_month_moment,
    uptime_moment,
)
from firstfault.tools.stamps.moments import Moment

_MON = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_DAY = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_CLOCK = r"(?P<H>\d\d):(?P<M>\d\d)(?::(?P<S>\d\d)(?:[.,](?P<f>\d{1,9}))?)?"
_ZONE = rf"(?:\s?(?P<z>Z|[+-]\d\d:?\d\d|(?:{ABBREVIATIONS})\b))?"
_ISO = rf"(?P<Y>\d{{4}})[-/.](?P<m>\d\d)[-/.](?P<d>\d\d)(?:[T _]{_CLOCK}{_ZONE})?(?![\w.-]*/)"
_LABEL = r"(?:\[[\w .\-/]{1,40}\]\s?:?\s*|\([^()\n]{1,80}\)\s*|[\w.\-]{1,63}\s?[:|>]\s*)"
_HEAD = rf"^(?:\x1b\[[\d;]*m|<\d{{1,3}}>\d?|\s|{_LABEL}){{0,5}}[\[(\"']?"


@dataclass(frozen=True, slots=True)
class Dialect:
    """One written form. at_head: it counts only at the head of a line (after labels such as `[rank3]:`)."""

    name: str
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Moment | None]
    at_head: bool = True
    needs: re.Pattern[str] | None = None
    """What a line in this form holds for sure, where looking for that first is cheaper."""

    def moment(self, line: str) -> Moment | None:
        """Return what `line` says in this form, or None."""
        if self.needs is not None and self.needs.search(line) is None:
            return None
        match = self.pattern.match(line) if self.at_head else self.pattern.search(line, 0, SEARCH_LIMIT)
        return None if match is None else self.read(match)


SEARCH_LIMIT = 4096
"""How far into a line a keyed time is looked for."""


_KEY = r"(?:time|ts|timestamp|@timestamp|asctime|datetime|date|t|eventTime|requestReceivedTimestamp|__REALTIME_TIMESTAMP)"

HEAD_DIALECTS = (
    Dialect("kmsg", re.compile(r"^(?P<raw>\d{1,3},\d+,(?P<us>\d+),[\w=,-]*);"), kmsg_moment),
    Dialect(
        "uptime",
        re.compile(
            r"^(?:<\d{1,3}>|\w+\s*:\s*\w+\s*:\s*)?(?P<raw>\[\s*(?P<u>\d{1,9}\.\d{3,9})\s*\](?:\[\s*[TC]\d+\])?)"
        ),
        uptime_moment,
    ),
    Dialect("iso", re.compile(_HEAD + rf"(?P<raw>{_ISO})"), iso_moment),
    Dialect(
        "klog",
        re.compile(_HEAD + rf"[IWEFVDC](?P<raw>(?P<Y>\d{{4}})?(?P<m>\d{{1,2}})(?P<d>\d\d)\s+{_CLOCK})"),
        klog_moment,
    ),
    Dialect(
        "git",
        re.compile(
            rf"^(?:Date:\s+)?(?P<raw>(?:{_DAY})\s+(?P<b>{_MON})\s+(?P<d>\d{{1,2}})\s+{_CLOCK}"
            r"\s+(?P<Y>\d{4}) (?P<z>[+-]\d{4}))"
        ),
        named_month_moment,
    ),
    Dialect(
        "ctime",
        re.compile(
            _HEAD
            + rf"(?P<raw>(?:{_DAY})\s+(?P<b>{_MON})\s+(?P<d>\d{{1,2}})\s+{_CLOCK}{_ZONE}\s+(?P<Y>\d{{4}}))"
        ),
        ctime_moment,
    ),
    Dialect("day_iso", re.compile(_HEAD + rf"(?:{_DAY})\s+(?P<raw>{_ISO})"), iso_moment),
    Dialect(
        "month_year",
        re.compile(
            _HEAD + rf"(?P<raw>(?P<b>{_MON})\s+(?P<d>\d{{1,2}}),?\s+(?P<Y>\d{{4}})\s+{_CLOCK}{_ZONE})"
        ),
        named_month_moment,
    ),
    Dialect(
        "rfc2822",
        re.compile(
            _HEAD
            + rf"(?:Date:\s+)?(?:{_DAY}),?\s+(?P<raw>(?P<d>\d{{1,2}})\s+(?P<b>{_MON})\s+(?P<Y>\d{{4}})\s+{_CLOCK}{_ZONE})"
        ),
        named_month_moment,
    ),
    Dialect(
        "syslog",
        re.compile(_HEAD + rf"(?P<raw>(?P<b>{_MON})\s+(?P<d>\d{{1,2}})\s+{_CLOCK})\s"),
        named_month_moment,
    ),
    Dialect(
        "access_log",
        re.compile(rf"^.{{0,80}}?\[(?P<raw>(?P<d>\d\d)/(?P<b>{_MON})/(?P<Y>\d{{4}}):{_CLOCK}{_ZONE})\]"),
        named_month_moment,
    ),
    Dialect(
        "month_day",
        re.compile(
            _HEAD
            + rf"(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)\s+(?P<raw>(?P<m>\d\d)-(?P<d>\d\d)\s+{_CLOCK})"
        ),
        klog_moment,
    ),
    Dialect("epoch", re.compile(r"^\[?(?P<raw>(?P<e>\d{10}(?:\.\d{1,9})?|\d{13}))(?=[\]\s:])"), epoch_moment),
)
"""Tried at the head of a line; the first that fits wins."""

_LETTER_AND_DAY = re.compile(r"[IWEFVC]\d{3,4} \d\d:")
INNER_DIALECTS = (
    Dialect(
        "klog_inside",
        re.compile(rf"(?<![\w.])[IWEF](?P<raw>(?P<m>\d\d)(?P<d>\d\d) {_CLOCK})\s+\d+ [\w./-]+:\d+\]"),
        klog_moment,
        at_head=False,
        needs=_LETTER_AND_DAY,
    ),
    Dialect(
        "c10d_inside",
        re.compile(rf"\[[IWEFVC](?P<raw>(?P<m>\d{{1,2}})(?P<d>\d\d) {_CLOCK}) [\w./-]+:\d+\]"),
        klog_moment,
        at_head=False,
        needs=_LETTER_AND_DAY,
    ),
    Dialect(
        "key_iso",
        re.compile(rf"(?<![\w.])\"?{_KEY}\"?\s?[:=]\s?\"?(?P<raw>{_ISO})"),
        iso_moment,
        at_head=False,
        needs=re.compile(r"[:=]\s?\"?\d{4}[-/.]"),
    ),
    Dialect(
        "key_epoch",
        re.compile(
            rf"(?<![\w.])\"?{_KEY}\"?\s?[:=]\s?\"?(?P<raw>(?P<e>\d{{10}}(?:\.\d{{1,9}}|\d{{3}}|\d{{6}}|\d{{9}})?))(?![\w.])"
        ),
        epoch_moment,
        at_head=False,
        needs=re.compile(r"[:=]\s?\"?\d{10}"),
    ),
    Dialect(
        "audit",
        re.compile(r"\baudit\((?P<raw>(?P<e>\d{10}\.\d{3})):\d+\)"),
        epoch_moment,
        at_head=False,
        needs=re.compile(r"audit\("),
    ),
    Dialect(
        "rtc",
        re.compile(rf"setting system clock to {_ISO} \((?P<raw>(?P<e>\d{{10}}))\)"),
        epoch_moment,
        at_head=False,
        needs=re.compile(r"setting system clock"),
    ),
)
"""Looked for inside a line: forms with a key or a shape that nothing else has."""


MAY_BE_HEAD = re.compile(r"\d:\d\d|\d{4}[-/.]\d\d|\d\.\d{3}|\d{10}|^\d{1,3},\d")
"""What the lines hold that may begin with a time, in whatever form: most lines of a stack do not."""


def moments(line: str) -> tuple[Moment, ...]:
    """Return every time that `line` carries as its own: the one at its head first, then those inside."""
    text = line[:SEARCH_LIMIT]
    heads = HEAD_DIALECTS if MAY_BE_HEAD.search(text) else ()
    head = next((moment for dialect in heads if (moment := dialect.moment(text)) is not None), None)
    inner = [moment for dialect in INNER_DIALECTS if (moment := dialect.moment(text)) is not None]
    return (*((head,) if head is not None else ()), *inner)


EXAMPLES = (
    ("kernel uptime", "[171167.620236] NVRM: Xid (PCI:0009:01:00): 149"),
    ("kmsg record", "3,1024,171167620236,-;NVRM: Xid (PCI:0009:01:00): 149"),
    ("dmesg -T", "[Fri Mar  3 04:44:24 2023] NVRM: Xid (PCI:0000:61:00): 119"),
    ("dmesg -H, -d", "[  +0.000316] NVRM: GPU at PCI:0000:3b:00"),
    ("audit and rtc lines", "[  638.535513] audit: type=1400 audit(1753325642.548:121): x"),
    ("ISO 8601, RFC 3339", "2026-06-23T03:14:45.912484+02:00 stdout F started"),
    ("syslog RFC 3164", "Jun 23 03:14:45 node-1 kernel: nvme nvme4: I/O 22 QID 0 timeout"),
    ("syslog RFC 5424", "<34>1 2026-06-23T03:14:45.003Z node-1 su - - - x"),
    ("journal JSON, export", '{"__REALTIME_TIMESTAMP":"1782184485250000","MESSAGE":"x"}'),
    ("klog, glog", "E0623 03:14:45.912484   22255 kubelet_node_status.go:402] x"),
    ("PyTorch c10d", "[rank7]:[E218 10:48:25.033625188 ProcessGroupNCCL.cpp:632] x"),
    ("python logging", "2026-06-23 03:14:45,367 - INFO - ready"),
    ("vLLM", "INFO 06-23 03:14:45 llm_engine.py:100] x"),
    ("logfmt", 'time="2026-06-23T03:14:45.559Z" level=info msg="x"'),
    ("JSON lines", '{"level":"error","ts":"2026-06-23T03:14:45.292Z","msg":"x"}'),
    ("access log", '10.0.0.1 - - [23/Jun/2026:03:14:45 +0200] "GET / HTTP/1.1" 200'),
    ("fabric manager", "[Jun 23 2026 03:14:45] [ERROR] [tid 77] x"),
    ("RFC 2822, ctime, git", "Tue, 23 Jun 2026 03:14:45 +0200"),
    ("epoch", '1782184485.250 {"a": 1}'),
    ("records of printed JSON", '"timestamp": "2026-04-18T10:30:01Z",'),
    ("ages of kubectl", "3m2s (x14 over 25m)"),
)
"""One line of each form, for the page of formats."""
