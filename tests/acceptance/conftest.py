"""What was killed where, as a table at the end of a run."""

from collections import Counter
from collections.abc import Callable

import pytest

KILL = "kill"


@pytest.fixture
def is_every_kill(request: pytest.FixtureRequest) -> bool:
    """Return whether every moment is wanted (`make kills`), not one for each plan."""
    return bool(request.config.getoption("--kills"))


@pytest.fixture
def kill_noted(record_property: Callable[[str, object], None]) -> Callable[[str, str, str], None]:
    """Note one kill: plan, moment, result."""
    return lambda plan, moment, result: record_property(KILL, (plan, moment, result))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print plan, moment, result and how often."""
    kills: Counter[tuple[str, str, str]] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                kills.update(tuple(value) for name, value in report.user_properties if name == KILL)
    if not kills:
        return
    terminalreporter.section("kills")
    for (plan, moment, result), count in sorted(kills.items()):
        terminalreporter.write_line(f"{plan:<26} {moment:<36} {result:<10} {count:>3}")
    terminalreporter.write_line(f"{kills.total()} kills of {len({plan for plan, _, _ in kills})} plans")
