"""`firstfault serve` as a process of its own, and what it says."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Self

PATIENCE_S = 60.0
_LISTENING = re.compile(r"listening on (http://\S+);")


class Serve:
    """The running process. said: its lines so far."""

    def __init__(self, folder: Path, *, environment: Mapping[str, str] | None = None) -> None:
        """Start it in a folder that holds `firstfault.toml` and its state; return when it takes connections."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FIRSTFAULT_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "firstfault.cli", "serve"],
            cwd=folder,
            env={**kept, "XDG_STATE_HOME": str(folder / "state"), **(environment or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.url = self.wait_for(_LISTENING)[1]

    def wait_for(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """Return the match in the next line that has one. Raises AssertionError when none comes in time."""
        while True:
            try:
                line = self._lines.get(timeout=PATIENCE_S)
            except queue.Empty:
                raise AssertionError("".join(self.said)) from None
            if line is None:
                raise AssertionError("".join(self.said))
            if found := pattern.search(line):
                return found

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.send_signal(signal.SIGKILL)
        self._ended()

    def stop(self) -> int:
        """Ask it to end; return its exit code."""
        self.process.terminate()
        return self._ended()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it, if it has not."""
        if self.process.poll() is None:
            self.stop()

    def _ended(self) -> int:
        code = self.process.wait(timeout=PATIENCE_S)
        self._reader.join()
        if self.process.stderr is not None:
            self.process.stderr.close()
        return code

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            self._lines.put(line)
        self._lines.put(None)
