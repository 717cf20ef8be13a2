"""What holds for every test: how hard properties are tried, and that nothing outside this machine is asked."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

FIGURE = "figure: "
ROOT_OF_FOLDERS = "PYTEST_DEBUG_TEMPROOT"
"""Where pytest makes the folders of tests. In the usual place it tidies up after other runs too, and can stumble over them."""
_OWN_ROOT = pytest.StashKey[Path]()

# The machine is shared, so no deadline; the same examples each time, so that a red run can be had again.
settings.register_profile(
    "sample", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("laws", settings.get_profile("sample"), max_examples=5_000)
settings.register_profile("attacks", settings.get_profile("laws"), derandomize=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--attacks", action="store_true", help="run the hostile and metamorphic suites in full (make attacks)"
    )
    parser.addoption(
        "--laws", action="store_true", help="5,000 examples a law, the same each time (make laws)"
    )
    parser.addoption(
        "--kills", action="store_true", help="kill the executor at every moment of every plan (make kills)"
    )


def pytest_configure(config: pytest.Config) -> None:
    wanted = (name for name in ("attacks", "laws") if config.getoption(f"--{name}"))
    settings.load_profile(next(wanted, "sample"))
    if ROOT_OF_FOLDERS not in os.environ:
        config.stash[_OWN_ROOT] = Path(tempfile.mkdtemp(prefix="ff-"))
        os.environ[ROOT_OF_FOLDERS] = str(config.stash[_OWN_ROOT])


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Leave nothing behind, unless something failed that somebody may want to look at."""
    root = session.config.stash.get(_OWN_ROOT, None)
    if root is not None and exitstatus == pytest.ExitCode.OK:
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str, float], None]:
    """Add to a figure of this run; the sums over all tests are printed at the end."""

    def add(name: str, value: float = 1) -> None:
        record_property(FIGURE + name, value)

    return add


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    sums: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for name, value in report.user_properties:
                    sums[name] += value if name.startswith(FIGURE) else 0
    found = {name: value for name, value in sums.items() if name.startswith(FIGURE)}
    if found:
        terminalreporter.section("figures")
        for name, value in sorted(found.items()):
            terminalreporter.write_line(f"{name.removeprefix(FIGURE)}: {value:g}")
