"""The example of docs/new-source.md holds to the laws of every source."""

from collections.abc import Generator
from datetime import UTC, datetime

import httpx
import pytest

from firstfault.evals.sim.recorded_http import Failure, RecordedServer, Said
from firstfault.tools.context import ReadContext
from firstfault.tools.kinds import Kind
from tests.conformance.source_laws import SourceLaws, Subject
from tests.conformance.switch_source import SwitchSource

BETWEEN = datetime(2026, 1, 1, tzinfo=UTC)
LOG = b"2025-12-31T23:59:00+00:00 leaf7 port 12 up\n2026-01-01T00:00:30+00:00 leaf7 port 12 link down\n"


def answer(path: str, query: dict[str, str]) -> Said:
    """Answer with a recorded log."""
    del path, query
    return Said(body=LOG, content_type="text/plain")


def source_of(url: str) -> SwitchSource:
    """Return a source for one switch."""
    client = httpx.Client(base_url=url, timeout=2.0, trust_env=False)
    return SwitchSource(client=client, switches=("leaf7",), clock=lambda: BETWEEN)


class TestSwitches(SourceLaws):
    @pytest.fixture
    def subject(self) -> Generator[Subject]:
        with RecordedServer(answer) as up, RecordedServer(answer, failure=Failure.DROP) as down:
            yield Subject(
                source=source_of(up.url),
                held=(Kind.SYSLOG,),
                context=ReadContext(zone="UTC"),
                as_of=BETWEEN,
                failing=(source_of(down.url),),
            )
