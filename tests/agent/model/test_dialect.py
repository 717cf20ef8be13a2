import pytest

from firstfault.agent.model.dialect import Dialect, Structured
from tests.agent.model.requests import SCHEMA

COMPLAINTS = [
    ("Unsupported parameter: 'max_completion_tokens'", Dialect(limit="max_tokens")),
    ("'temperature' does not support 0 with this model", Dialect(takes_temperature=False)),
    ("Unrecognized request argument supplied: seed", Dialect(takes_seed=False)),
    ("response_format type json_schema is not supported", Dialect(structured=Structured.JSON_OBJECT)),
    ("failed to compile grammar", Dialect(structured=Structured.JSON_OBJECT)),
]


@pytest.mark.parametrize(("complaint", "simpler"), COMPLAINTS)
def test_a_complaint_takes_away_what_it_names(complaint: str, simpler: Dialect) -> None:
    assert Dialect().simpler_after(complaint) == simpler


def test_a_complaint_that_names_nothing_changes_nothing() -> None:
    assert (
        Dialect().simpler_after("maximum context length is 8192 tokens, you used max_completion_tokens 9000")
        is None
    )
    assert Dialect().simpler_after("something else is wrong") is None
    plain = Dialect(structured=Structured.TEXT, limit=None, takes_seed=False, takes_temperature=False)
    assert plain.simpler_after("response_format seed temperature max_tokens") is None


def test_only_servers_that_do_not_enforce_the_schema_are_told_it() -> None:
    assert Dialect().form_in_words(SCHEMA) == ""
    assert "JSON Schema" in Dialect(structured=Structured.JSON_OBJECT).form_in_words(SCHEMA)
    assert "response_format" not in Dialect(structured=Structured.TEXT).parameters(SCHEMA, 10, None)
