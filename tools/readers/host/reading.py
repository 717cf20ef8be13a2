"""Chooses between the tools of the host and its network; a text may hold the output of several."""

import re
from collections.abc import Callable, Sequence

from firstfault.tools.evidence import Document
from firstfault.tools.readers.fabric.adapters import ADAPTER_SIGN, adapter_facts
from firstfault.tools.readers.fabric.links import LINK_SIGN, link_facts
from firstfault.tools.readers.fabric.reports import REPORT_SIGN, report_facts
from firstfault.tools.readers.host.devices import DEVICE_SIGN, device_facts
from firstfault.tools.readers.host.limits import LIMITS_SIGN, limit_facts
from firstfault.tools.readers.host.packages import PACKAGE_SIGN, package_facts
from firstfault.tools.readers.host.processes import PROCESS_SIGN, process_facts
from firstfault.tools.readers.host.usage import USAGE_SIGN, usage_facts
from firstfault.tools.readings import Fact

_FORMS: tuple[tuple[re.Pattern[str], Callable[[Document], Sequence[Fact]]], ...] = (
    (ADAPTER_SIGN, adapter_facts),
    (LINK_SIGN, link_facts),
    (REPORT_SIGN, report_facts),
    (USAGE_SIGN, usage_facts),
    (LIMITS_SIGN, limit_facts),
    (DEVICE_SIGN, device_facts),
    (PROCESS_SIGN, process_facts),
    (PACKAGE_SIGN, package_facts),
)


def host_facts(document: Document) -> tuple[Fact, ...]:
    """Return the facts of every host or network tool whose output `document` holds."""
    text = document.text
    return tuple(fact for sign, reader in _FORMS if sign.search(text) for fact in reader(document))
