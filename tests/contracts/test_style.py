"""The bans of DESIGN §2 and §11 that ruff keeps: clocks, relative imports, a second identity for a class."""

import subprocess
import sys

import pytest

from tests.contracts.planting import ROOT

BANNED = {
    "now": "from datetime import UTC, datetime\n\nSTAMP = datetime.now(UTC)\n",
    "utcnow": "import datetime\n\nSTAMP = datetime.datetime.utcnow()\n",
    "today": "from datetime import date\n\nDAY = date.today()\n",
    "time": "import time\n\nSTAMP = time.time()\n",
    "sleep": "import time\n\ntime.sleep(1)\n",
    "second identity": "from tools import evidence\n",
    "relative": "from . import evidence\n",
}


@pytest.mark.parametrize("code", BANNED.values(), ids=BANNED)
@pytest.mark.parametrize("path", ["agent/planted.py", "tools/planted.py", "tests/planted.py"])
def test_what_is_banned_is_found(code: str, path: str) -> None:
    assert {"TID251", "TID252"} & _rules_broken(code, path)


def test_the_composition_root_may_read_the_clock() -> None:
    assert "TID251" not in _rules_broken(BANNED["now"], "src/firstfault/cli/planted.py")


def _rules_broken(code: str, path: str) -> set[str]:
    command = (
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--no-cache",
        "--output-format=concise",
        "--stdin-filename",
    )
    run = subprocess.run(
        (*command, str(ROOT / path), "-"), cwd=ROOT, input=code, capture_output=True, text=True, check=False
    )
    return {line.split(": ", 1)[1].split(" ", 1)[0] for line in run.stdout.splitlines() if ": " in line}
