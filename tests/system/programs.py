"""Real programs, run on loopback for the length of a test."""

import re
import subprocess
import threading
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

ADDRESS = re.compile(r'msg="Listening on" address=(\S+)')

BROWSER = (
    "chromium",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


@contextmanager
def serving(command: Sequence[str], *, ready: str) -> Generator[str]:
    """Give the address that the program listens on, once a line with `ready` came; it ends with the block."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said: list[str] = []
        for line in process.stderr:
            said.append(line)
            if ready in line:
                break
        else:
            raise AssertionError("".join(said))
        rest = threading.Thread(target=deque, args=(process.stderr, 0))
        rest.start()
        try:
            (address,) = (found[1] for line in said if (found := ADDRESS.search(line)))
            yield f"http://{address}"
        finally:
            process.terminate()
            process.wait(timeout=20)
            rest.join()


def screenshot(page: Path, picture: Path, *, width: int = 1200, height: int = 1600) -> str:
    """Write what a browser shows of a local page to `picture`; return what it wrote to its log."""
    run = browse(page, f"--screenshot={picture}", f"--window-size={width},{height}", profile=picture.parent)
    assert picture.is_file(), run.stderr
    return run.stderr


def document(page: Path, profile: Path) -> str:
    """Return the page's tree as the browser holds it, as HTML."""
    return browse(page, "--dump-dom", profile=profile).stdout


def browse(page: Path, *options: str, profile: Path) -> "subprocess.CompletedProcess[str]":
    """Open a local page in a browser that knows nothing from before; its log goes to stderr."""
    command = (
        *BROWSER,
        f"--user-data-dir={profile / 'profile'}",
        "--enable-logging=stderr",
        *options,
        page.as_uri(),
    )
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)
