"""Series for tests, one point a minute."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from firstfault.tools.kinds import Kind
from firstfault.tools.readings import Series
from tests.documents import document

START = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)


def series(metric: str, values: Sequence[float], query: str | None = None, **labels: str) -> Series:
    """Return a series of `values`, a minute apart from START on."""
    return Series(
        metric=metric,
        labels=labels,
        points=tuple((START + timedelta(minutes=index), value) for index, value in enumerate(values)),
        document=document("{}", Kind.PROMETHEUS_RESPONSE, "raw/metrics.json"),
        line=1,
        query=query,
    )
