"""Answers of metrics systems: series with points, blanks never as numbers, refusals never as empty answers."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstfault.tools.context import NO_CONTEXT, ReadContext
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Reading
from tests.documents import document

REAL = Path("tests/formats/prometheus_2.42")


def metrics(text: str, kind: Kind = Kind.PROMETHEUS_RESPONSE, context: ReadContext = NO_CONTEXT) -> Reading:
    return read(document(text, kind, "raw/m.json"), context)


def real(name: str) -> Reading:
    return metrics((REAL / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("instant_vector.json", 8),
        ("range_matrix.json", 8),
        ("instant_scalar.json", 1),
        ("instant_empty.json", 0),
    ],
)
def test_real_answers(name: str, count: int) -> None:
    reading = real(name)
    assert len(reading.series) == count
    assert reading.problems == ()
    assert all(series.points and series.points[0][0].tzinfo is not None for series in reading.series)


def test_the_series_of_a_range_can_be_cited_where_they_stand() -> None:
    reading = real("range_matrix.json")
    lines = {series.line for series in reading.series}
    assert len(lines) == len(reading.series) or lines == {1}
    assert all(series.cite().excerpt for series in reading.series)


@pytest.mark.parametrize("name", ["error_bad_promql.json", "error_too_many_points.json"])
def test_a_refusal_is_a_problem_and_never_an_empty_answer(name: str) -> None:
    reading = real(name)
    assert reading.series == ()
    assert "refused the query" in reading.problems[0]


@pytest.mark.parametrize(
    "value", ["9223372036854775794", "2147483632", "140737488355330", "9.223372036854776e+18"]
)
def test_blanks_of_vendors_are_counted_and_never_read_as_numbers(value: str) -> None:
    text = (
        '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL","gpu":"0"},'
        f'"value":[1782184485.25,"{value}"]}}]}}}}'
    )
    (series,) = metrics(text).series
    assert (series.points, series.blanks) == ((), 1)
    assert series.labels == {"gpu": "0"}


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-Inf"])
def test_what_is_no_finite_number_is_left_out(value: str) -> None:
    text = f'{{"status":"success","data":{{"resultType":"vector","result":[{{"metric":{{"__name__":"up"}},"value":[1,"{value}"]}}]}}}}'  # noqa: E501 - as the tool prints it
    (series,) = metrics(text).series
    assert series.points == ()


def test_points_later_than_what_may_be_seen_are_not_there() -> None:
    text = '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"up"},"values":[[100,"1"],[200,"0"]]}]}}'  # noqa: E501 - as the tool prints it
    as_of = ReadContext(as_of=datetime.fromtimestamp(150, tz=UTC))
    (series,) = metrics(text, context=as_of).series
    assert [value for _, value in series.points] == [1.0]


def test_exposition_text_without_a_time_gives_facts() -> None:
    reading = real("dcgm_fake_metrics_text.txt")
    assert reading.series == ()
    assert any(fact.name == "metric.DCGM_FI_DEV_GPU_TEMP" for fact in reading.facts)


def test_exposition_text_with_a_time_gives_series() -> None:
    (series,) = metrics('up{job="a b",path="C:\\\\x \\"q\\""} 0 1782184485250\n').series
    assert series.points[0][0] == datetime(2026, 6, 23, 3, 14, 45, 250000, tzinfo=UTC)
    assert series.labels["path"].endswith('"q"')


def test_series_in_csv() -> None:
    text = 'Time,"DCGM_FI_DEV_GPU_TEMP{gpu=""0""}",node-2\n2026-06-23 03:14:45,41,\n2026-06-23 03:15:45,9223372036854775794,7\n'
    first, second = metrics(text).series
    assert (first.metric, first.labels, first.blanks) == ("DCGM_FI_DEV_GPU_TEMP", {"gpu": "0"}, 1)
    assert [value for _, value in first.points] == [41.0]
    assert [value for _, value in second.points] == [7.0]


@pytest.mark.parametrize("name", ["alerts.json", "rules.json", "alertmanager_v2_alerts.json"])
def test_alerts_of_servers(name: str) -> None:
    facts = [fact for fact in real(name).facts if fact.name == "alert.state"]
    assert facts
    assert all(fact.labels["name"] for fact in facts)


def test_states_of_monitors_are_alerts_too() -> None:
    (fact,) = metrics(
        '{"monitors": [{"name": "latency", "query": "avg > 1", "overall_state": "Alert"}]}'
    ).facts
    assert (fact.name, fact.value, fact.labels["query"]) == ("alert.state", "Alert", "avg > 1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "{}",
        "[]",
        '{"status": "success"}',
        '{"status":"success","data":{"resultType":"vector","result":null}}',
    ],
)
def test_empty_answers_give_nothing(text: str) -> None:
    assert metrics(text).series == ()
