"""The closed list of failure classes."""

from functools import cache
from typing import cast

import yaml

from firstfault.tools.catalogs.tables import read_text

UNKNOWN = "unknown"


@cache
def failure_classes() -> dict[str, str]:
    """Return every failure class of the taxonomy with what it means; `unknown` is one."""
    tables = cast("dict[str, dict[str, str]]", yaml.safe_load(read_text("taxonomy.yaml")))
    return {UNKNOWN: "Not decided", **tables["classes"]}
