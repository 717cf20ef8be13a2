"""The JSON Schema of a report, generated from the models, and the check that the shipped copies are up to date.

`python -m firstfault.agent.report.schema` writes it beside this module (where the package ships it) and into `docs/`;
with `--check` it writes nothing and exits with 1 when a copy differs.
"""

import json
import sys
from importlib import resources
from pathlib import Path

from firstfault.agent.report.contract import SCHEMA, Report
from firstfault.tools.generated import settle

FILE = "report.schema.json"


def report_schema() -> dict[str, object]:
    """Return the schema of what `--json` prints."""
    generated = Report.model_json_schema(by_alias=True, mode="serialization")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA}
    return {
        **head,
        **generated,
        "title": "firstfault report",
        "description": f"One report, schema `{SCHEMA}`.",
    }


def schema_text() -> str:
    """Return the schema as it stands in the files."""
    return json.dumps(report_schema(), indent=2, ensure_ascii=False) + "\n"


def shipped_schema() -> str:
    """Return the copy that the package ships."""
    return resources.files("firstfault.agent.report").joinpath(FILE).read_text(encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Write both copies, or with `--check` return 1 when one of them differs."""
    shipped = Path(__file__).resolve().parent / FILE
    copies = (shipped, shipped.parents[2] / "docs" / FILE)
    return settle(dict.fromkeys(copies, schema_text()), arguments, "firstfault.agent.report.schema")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
