import json

from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.deliberation.answer import MAX_READS, Said, SearchLines, parse_answer
from firstfault.agent.deliberation.schema import output_schema

SEARCH = {"tool": "search_lines", "text": "needle", "path": None}
EMPTY: dict[str, list[object]] = {"reads": [], "hypotheses": [], "signals": [], "claims": []}


def test_an_answer_is_read_item_by_item() -> None:
    said = parse_answer(json.dumps(EMPTY | {"reads": [SEARCH, {"tool": "run_shell", "command": "reboot"}]}))
    assert said is not None
    assert said.reads == (SearchLines(tool="search_lines", text="needle"),)
    assert said.rejected == 1


def test_fences_prose_and_reasoning_around_the_object_do_not_matter() -> None:
    inner = json.dumps(EMPTY)
    for text in (
        inner,
        f"```json\n{inner}\n```",
        f"Sure!\n{inner}\nDone.",
        f"<think>{{no}} hm</think>{inner}",
    ):
        assert parse_answer(text) == Said()


def test_what_has_not_the_form_is_nothing() -> None:
    for text in (
        "",
        "no",
        "[]",
        "{}",
        '{"verdict": "CONFIRMED"}',
        '{"claims": [{"text": 1}]}',
        '{"reads": [1, 2]}',
        "{" * 50_000,
    ):
        assert parse_answer(text) is None


def test_more_than_was_asked_for_is_cut() -> None:
    said = parse_answer(json.dumps(EMPTY | {"reads": [SEARCH] * 50}))
    assert said is not None
    assert len(said.reads) == MAX_READS
    assert said.rejected == 46


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*EMPTY, "tool", "text"]), inner)
    ),
    max_leaves=20,
)


@given(JSON.map(json.dumps) | st.text(max_size=200))
def test_any_answer_is_read_or_refused(text: str) -> None:
    said = parse_answer(text)
    assert said is None or said.rejected >= 0


def test_the_schema_asks_for_every_property_and_allows_no_other() -> None:
    def walk(part: object) -> None:
        if isinstance(part, list):
            for item in part:  # pyright: ignore[reportUnknownVariableType]  # JSON
                walk(item)  # pyright: ignore[reportUnknownArgumentType]  # JSON
        if isinstance(part, dict):
            if "properties" in part:
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])  # pyright: ignore[reportUnknownArgumentType]  # JSON
            for item in part.values():  # pyright: ignore[reportUnknownVariableType]  # JSON
                walk(item)  # pyright: ignore[reportUnknownArgumentType]  # JSON

    walk(output_schema().schema)
