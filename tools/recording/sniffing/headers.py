"""What the heads of lines say about where a text is from, when they all say the same."""

import re
from collections.abc import Iterable

from firstfault.tools.kinds import Kind

_SYSLOG_HOST = re.compile(
    r"^(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT\S+) "
    r"(?P<node>[\w.-]+):? +(?:[\w./@-]+(?:\[\d+\])?:|\S)"
)
_TALOS = re.compile(r"^(?P<node>[\w.-]+): kern: ")
_NCCL_HOST = re.compile(r"^(?:\[[\d :-]+\] )?(?P<node>[A-Za-z0-9][\w.-]*):\d+:\d+ \[\d+\] ")
_RANK = re.compile(r"^\[rank(?P<rank>\d+)\]:")
_JSON_HOST = re.compile(r'"_HOSTNAME"\s*:\s*"(?P<node>[^"]+)"|^_HOSTNAME=(?P<export>\S+)')
_NODE_SIGNS = ((":", _SYSLOG_HOST), (": kern: ", _TALOS), ("] ", _NCCL_HOST), ("_HOSTNAME", _JSON_HOST))
_RANK_SIGNS = (("[rank", _RANK),)
"""What a line must hold to be looked at closely, and where the name stands in it."""
_HOST_KINDS = frozenset(
    {
        Kind.KERNEL_LOG,
        Kind.SYSLOG,
        Kind.JOURNAL,
        Kind.KUBELET_LOG,
        Kind.RUNTIME_LOG,
        Kind.FABRIC_MANAGER_LOG,
        Kind.APPLICATION_LOG,
        Kind.CONTAINER_LOG,
    }
)
_DESCRIBED_NAMESPACE = re.compile(r"^Namespace: +(?P<namespace>[a-z0-9-]+)\s*$")


def labels_of_content(kind: Kind, lines: Iterable[str]) -> dict[str, str]:
    """Return node and rank when every line that names one names the same, and the namespace of a description."""
    held = list(lines)
    labels: dict[str, str] = {}
    if kind in _HOST_KINDS:
        for key, signs in (("node", _NODE_SIGNS), ("rank", _RANK_SIGNS)):
            name = _only_name(held, signs)
            if name:
                labels[key] = name
    if kind is Kind.KUBECTL_DESCRIBE:
        spaces = {match["namespace"] for line in held if (match := _DESCRIBED_NAMESPACE.match(line))}
        if len(spaces) == 1:
            labels["namespace"] = spaces.pop()
    return labels


def _only_name(lines: Iterable[str], signs: Iterable[tuple[str, re.Pattern[str]]]) -> str:
    """Return the name that lines name, empty when they name none or several. Reading stops at the second one."""
    found = ""
    for line in lines:
        for word, pattern in signs:
            if word not in line:
                continue
            name = _named(pattern.search(line))
            if name and found and name != found:
                return ""
            found = name or found
    return found


def _named(match: re.Match[str] | None) -> str:
    return "" if match is None else next((value for value in match.groupdict().values() if value), "")
