"""JSON is parsed like the standard library does, with lines; what is cut or broken yields what stands before."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.readers.json_text import json_values, parse_json
from firstfault.tools.readers.located import Node, line_map, plain
from firstfault.tools.readings import Json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
CONTAINERS = st.lists(VALUES, max_size=4) | st.dictionaries(st.text(max_size=8), VALUES, max_size=4)


def node_of(text: str) -> Node:
    parsed = parse_json(text)
    assert parsed is not None
    return parsed.node


@given(CONTAINERS, st.sampled_from([None, 1, 4]))
def test_good_json_gives_the_value_of_the_standard_library(value: Json, indent: int | None) -> None:
    parsed = parse_json(json.dumps(value, indent=indent))
    assert parsed is not None
    assert parsed.problem is None
    assert plain(parsed.node) == value


@given(
    st.dictionaries(
        st.from_regex(re.compile(r"[a-z]{1,6}", re.ASCII), fullmatch=True), VALUES, min_size=1, max_size=5
    )
)
def test_the_line_of_a_field_is_the_line_that_holds_its_key(value: dict[str, Json]) -> None:
    text = json.dumps({"spec": value}, indent=2)
    lines = text.split("\n")
    found = line_map(node_of(text))
    for key in value:
        assert f'"{key}":' in lines[found[f"spec.{key}"] - 1]


@given(CONTAINERS, st.integers(0, 200))
def test_a_cut_text_gives_a_part_and_says_so(value: Json, cut: int) -> None:
    text = json.dumps(value, indent=1)[:-1][: max(cut, 1)]
    parsed = parse_json(text)
    if parsed is not None:
        assert parsed.problem is not None
        assert "what stands before it was read" in parsed.problem


def test_the_open_string_at_a_cut_is_the_last_value() -> None:
    parsed = parse_json('{"kind": "Event", "verb": "delete", "sourceIPs": ["10.0')
    assert parsed is not None
    assert plain(parsed.node) == {"kind": "Event", "verb": "delete", "sourceIPs": ["10.0"]}


def test_several_values_follow_each_other_with_their_lines() -> None:
    found = list(json_values('{"a": 1}\n{\n "b": 2\n}\n\n[3]\n'))
    assert [plain(value.node) for value in found] == [{"a": 1}, {"b": 2}, [3]]
    assert [value.node.line for value in found] == [1, 2, 6]
    assert line_map(found[1].node)["b"] == 3


@pytest.mark.parametrize(
    "text", ['{"a": 1,}', '{"a": 1 "b": 2}', "[1,,2]", '{"a": "tab\there"}', '{"a": "bad \\q escape"}']
)
def test_small_slips_do_not_stop_the_parser(text: str) -> None:
    parsed = parse_json(text)
    assert parsed is not None
    assert parsed.problem is None


@pytest.mark.parametrize("text", ["", "   ", "plain text", "]", ":", "\x00"])
def test_what_is_no_json_gives_no_value(text: str) -> None:
    assert list(json_values(text)) == []


def test_nesting_deeper_than_any_object_is_cut_not_followed() -> None:
    parsed = parse_json("[" * 100_000 + "]" * 100_000)
    assert parsed is not None
    assert plain(parsed.node) is not None


def test_numbers_beyond_all_bounds_do_not_raise() -> None:
    parsed = parse_json(f"[{'9' * 5000}, 1e999999, -{'9' * 399}]")
    assert parsed is not None
    assert parsed.problem is None
