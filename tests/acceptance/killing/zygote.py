"""Processes of `firstfault executor` without the second that starting Python and importing costs each of them.

Run as a program it imports the command, and forks itself for every order: a process of its own, which dies alone.
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Zygote:
    """The process that forks; one executor at a time."""

    def __init__(self, said: Path) -> None:
        """Take the file that what an executor says is written to."""
        self._said = said
        command = (sys.executable, "-m", __name__)
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, bufsize=1)

    def start(self, environment: Mapping[str, str]) -> int:
        """Return the pid of an executor that has begun one round."""
        order = {"environment": dict(environment), "said": str(self._said)}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        return int(self._told()["pid"])

    def wait(self) -> tuple[int, str]:
        """Return the exit code of the executor, negative for a signal, and all it said."""
        return int(self._told()["code"]), self._said.read_text()

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=30)

    def _told(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


def _tell(news: Mapping[str, int]) -> None:
    sys.stdout.write(json.dumps(news) + "\n")
    sys.stdout.flush()


def _become(order: Mapping[str, Any]) -> None:
    """Be `firstfault executor --once`; does not return."""
    os.environ.clear()
    os.environ.update(order["environment"])
    said = os.open(order["said"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for place, stream in ((nothing, 0), (said, 1), (said, 2)):
        os.dup2(place, stream)
    code = 1
    try:
        program(["executor", "--once"], prog_name="firstfault")
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    importlib.import_module("firstfault.cli.executor")  # once, for all
    from firstfault.cli import main as program

    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _become(json.loads(line))
        _tell({"pid": pid})
        _tell({"code": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])})
