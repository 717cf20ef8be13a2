"""What is installed: `pip freeze` and `pip list`, `dpkg -l`, `rpm -qa`, and versions that drivers print."""

import re
from collections.abc import Sequence

from firstfault.tools.evidence import Document
from firstfault.tools.readers.sheet import Sheet
from firstfault.tools.readers.signs import numbered, sign
from firstfault.tools.readings import Fact

_FREEZE = re.compile(r"^(?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>[\w.!+-]+)\s*$")
_DPKG = re.compile(
    r"^(?P<state>ii|hi|rc|iU|iF)\s+(?P<name>[\w.+:-]+)\s+(?P<version>\S+)\s+(?P<arch>amd64|arm64|all)\b"
)
_RPM = re.compile(
    r"^(?P<name>[A-Za-z][\w.+-]*?)-(?P<version>\d[\w.~+^]*-[\w.~+]+)\.(?P<arch>x86_64|aarch64|noarch)\s*$"
)
_PIP_HEAD = re.compile(r"^Package\s+Version\s*$")
_PIP = re.compile(r"^(?P<name>[A-Za-z0-9][\w.-]*)\s+(?P<version>\d[\w.!+-]*)\s*$")
PACKAGE_SIGN = sign(
    r"^[A-Za-z0-9][\w.-]*==[\w.!+-]+\s*$|^(?:ii|hi|rc)\s+\S+\s+\S+\s+(?:amd64|arm64|all)\b|"
    r"^[A-Za-z][\w.+-]*-\d[\w.~+^]*-[\w.~+]+\.(?:x86_64|aarch64|noarch)\s*$|^Package\s+Version\s*$"
)


def package_facts(document: Document) -> Sequence[Fact]:
    """Return `package.version` with the label `name` for every package that is listed."""
    sheet, is_pip_list = Sheet(document, "package"), False
    for number, raw in numbered(document):
        line = raw.rstrip("\r")
        is_pip_list = is_pip_list or bool(_PIP_HEAD.match(line))
        match = (
            _FREEZE.match(line)
            or _DPKG.match(line)
            or _RPM.match(line)
            or (_PIP.match(line) if is_pip_list else None)
        )
        if match is not None:
            sheet.add("version", match["version"], number, labels={"name": match["name"]})
    return sheet.facts
