"""What holds for every test: how hard properties are tried, and that nothing outside this machine is asked."""

import pytest
from hypothesis import HealthCheck, settings

# The machine is shared, so no deadline; the same examples each time, so that a red run can be had again.
settings.register_profile(
    "sample", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("attacks", settings.get_profile("sample"), derandomize=False, max_examples=5_000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--attacks", action="store_true", help="run the hostile and metamorphic suites in full (make attacks)"
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("attacks" if config.getoption("--attacks") else "sample")
