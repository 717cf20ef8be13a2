"""Makes `.venv` hold exactly what requirements-dev.lock says, and the project as an editable install.

Needs nothing but python3 (3.11 or newer) with venv. Every package is checked against the hashes of the lock file.
uv does the work where it can be had, pip where it cannot. Runs at the same time wait for each other.
"""

import fcntl
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCK = ROOT / "requirements-dev.lock"
STAMP = VENV / ".stamp"
PYTHON = VENV / "bin" / "python"
UV = VENV / "bin" / "uv"
OLDEST_PYTHON = (3, 11)
STEP_TIMEOUT_S = 420
"""A download that hangs this long is given up; the next way of installing is tried."""
TIMED_OUT = 124


def main() -> int:
    """Returns 0 when `.venv` is ready; the last failing command's code otherwise."""
    if sys.version_info < OLDEST_PYTHON:
        sys.stderr.write("firstfault needs python 3.11 or newer: name one with `make PYTHON=python3.12 …`\n")
        return 2
    VENV.mkdir(exist_ok=True)
    with (VENV / ".bootstrap").open("w") as guard:  # `.lock` is what uv locks while we wait for it
        fcntl.flock(guard, fcntl.LOCK_EX)
        if is_fresh():
            return 0
        started = time.monotonic()
        sys.stderr.write("setting up .venv from requirements-dev.lock …\n")
        STAMP.unlink(missing_ok=True)
        code = set_up() or compile_bytecode()
        if code == 0:
            STAMP.touch()
            sys.stderr.write(f".venv is ready ({time.monotonic() - started:.0f} s)\n")
        return code


def is_fresh() -> bool:
    """Whether the stamp is newer than everything that `.venv` was made from."""
    made_from = (LOCK, ROOT / "pyproject.toml", Path(__file__))
    return STAMP.exists() and all(STAMP.stat().st_mtime >= path.stat().st_mtime for path in made_from)


def set_up() -> int:
    """Installs the locked packages and the project; returns the code of the first step that failed for good."""
    if not PYTHON.exists():
        code = run(sys.executable, "-m", "venv", str(VENV))
        if code != 0:
            sys.stderr.write("python3 cannot make a virtual environment: on Debian, install `python3-venv`\n")
            return code
    if install_with_uv() == 0:
        return 0
    sys.stderr.write("uv did not do it: falling back to pip\n")
    pip = (str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
    return run(*pip, "--require-hashes", "-r", str(LOCK)) or run(
        *pip, "--no-build-isolation", "-e", str(ROOT)
    )


def install_with_uv() -> int:
    """Installs with the uv of the lock file; returns the code of the first step that failed."""
    only_uv = VENV / "uv.txt"
    only_uv.write_text(entry_of("uv"), encoding="utf-8")
    pip = (str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
    at_venv = ("--quiet", "--python", str(PYTHON))
    return (
        run(*pip, "--require-hashes", "-r", str(only_uv))
        or run(str(UV), "pip", "sync", *at_venv, "--require-hashes", str(LOCK))
        or run(str(UV), "pip", "install", *at_venv, "--no-deps", "--no-build-isolation", "-e", str(ROOT))
    )


def compile_bytecode() -> int:
    """Compiles everything once, so that commands start fast even where Python may not write bytecode."""
    places = (
        *VENV.glob("lib/python*/site-packages"),
        *(ROOT / name for name in ("agent", "tools", "policies", "evals", "src/firstfault/cli")),
    )
    # Some packages ship templates that are no Python; what cannot be compiled is simply not cached.
    run(str(PYTHON), "-m", "compileall", "-q", "-q", "-j", "0", *map(str, places))
    return 0


def entry_of(name: str) -> str:
    """The lock file's lines for one package: its pin and its hashes."""
    lines = LOCK.read_text(encoding="utf-8").splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if line.startswith(f"{name}=="))
    end = next((n for n in range(start + 1, len(lines)) if not lines[n].startswith(" ")), len(lines))
    return "".join(lines[start:end])


def run(*command: str) -> int:
    """Runs a command with its output on stderr, so that stdout stays the caller's."""
    try:
        return subprocess.run(
            command, check=False, stdout=sys.stderr, cwd=ROOT, timeout=STEP_TIMEOUT_S
        ).returncode
    except subprocess.TimeoutExpired:
        sys.stderr.write(f"`{' '.join(command[:3])} …` did not end within {STEP_TIMEOUT_S} s\n")
        return TIMED_OUT


if __name__ == "__main__":
    sys.exit(main())
