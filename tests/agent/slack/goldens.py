"""Writes `golden/*.json`: every message and modal as it leaves. `--check` says whether they are up to date.

`--reports` first makes the reports of the bundled cases anew, on which some of them rest.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firstfault.tools.generated import settle
from tests.agent.slack import samples

FOLDER = Path(__file__).with_name("golden")


def texts() -> Mapping[str, str]:
    """Return the text of every golden file, by name."""
    return {
        f"{name}.json": _text(content) for name, content in {**samples.messages(), **samples.views()}.items()
    }


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` return 1 when one is not what the code makes."""
    if "--reports" in arguments:
        for name in samples.BUNDLED:
            report = samples.investigated(name).model_dump_json(by_alias=True, indent=1)
            (samples.KEPT / f"{name}.json").write_text(report + "\n", encoding="utf-8")
    wanted = {FOLDER / name: text for name, text in texts().items()}
    return settle(wanted, arguments, "tests.agent.slack.goldens", there=FOLDER.glob("*.json"))


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
