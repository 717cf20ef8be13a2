"""The schema is generated, shipped, and what reports validate against."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from firstfault.agent.report.contract import Report
from firstfault.agent.report.schema import main, report_schema, schema_text, shipped_schema
from tests.agent.render import samples


def problems(document: dict[str, Any]) -> list[str]:
    validator: Any = Draft202012Validator(report_schema())
    return [error.message for error in validator.iter_errors(document)]


def test_the_shipped_schema_is_up_to_date() -> None:
    assert shipped_schema() == schema_text()
    assert main(["--check"]) == 0


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(report_schema())


@pytest.mark.parametrize("sample", [samples.gpu_079, samples.undecided, samples.healthy, samples.crowded])
def test_reports_validate_against_it(sample: Callable[[], Report]) -> None:
    document = json.loads(sample().model_dump_json(by_alias=True))
    assert document["schema"] == "firstfault.report/v1"
    assert problems(document) == []


def test_an_unknown_field_is_refused() -> None:
    document = {**json.loads(samples.healthy().model_dump_json(by_alias=True)), "confidence": 0.9}
    assert len(problems(document)) == 1
