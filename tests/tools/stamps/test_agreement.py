"""dateutil, which firstfault does not use, reads the same instants."""

from datetime import UTC, datetime, timedelta, timezone

from dateutil import parser as dateutil_parser
from hypothesis import given, settings
from hypothesis import strategies as st

from firstfault.tools.context import ReadContext
from firstfault.tools.kinds import Kind
from firstfault.tools.stamps import stamper
from tests.documents import document

OFFSETS = st.integers(-12 * 4, 14 * 4).map(lambda quarters: timezone(timedelta(minutes=15 * quarters)))
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=OFFSETS)  # noqa: DTZ001 - hypothesis adds the zone

FORMS = (
    "%Y-%m-%dT%H:%M:%S.%f%z",
    "%Y-%m-%d %H:%M:%S %z",
    "%a, %d %b %Y %H:%M:%S %z",
    "%Y-%m-%dT%H:%M:%S%z",
    "%Y/%m/%d %H:%M:%S.%f %z",
)


@settings(max_examples=300, deadline=None)
@given(TIMES, st.sampled_from(FORMS))
def test_complete_times_agree_with_dateutil(at: datetime, form: str) -> None:
    text = at.strftime(form)
    line = f"{text} something happened"
    stamp = stamper(document(line, Kind.SYSLOG), ReadContext()).stamp(1, line)
    assert stamp.at == dateutil_parser.parse(text).astimezone(UTC)


@settings(max_examples=200, deadline=None)
@given(st.datetimes(datetime(2025, 7, 23), datetime(2026, 7, 19)))  # noqa: DTZ001 - syslog has no zone
def test_times_without_a_year_agree_with_dateutil_given_the_year(local: datetime) -> None:
    opened = datetime(2026, 7, 20, tzinfo=UTC)
    line = f"{local.strftime('%b %e %H:%M:%S')} node-1 kernel: x"
    stamp = stamper(document(line, Kind.SYSLOG), ReadContext(opened_at=opened)).stamp(1, line)
    expected = dateutil_parser.parse(line[:15], default=datetime(local.year, 1, 1, tzinfo=UTC))
    assert stamp.at == expected
