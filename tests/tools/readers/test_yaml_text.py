"""YAML is parsed like PyYAML's safe loader does, with lines; broken documents do not take the others with them."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.readers.located import line_map, plain
from firstfault.tools.readers.yaml_text import yaml_documents
from firstfault.tools.readings import Json

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
)
MAPPINGS = st.dictionaries(
    st.from_regex(r"\A[a-z]{1,6}\Z"),
    st.recursive(
        SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.from_regex(r"\A[a-z]{1,6}\Z"), inner, max_size=3)
        ),
        max_leaves=10,
    ),
    min_size=1,
    max_size=5,
)


def values(text: str) -> list[Json]:
    return [plain(document.node) for document in yaml_documents(text) if document.node is not None]


@pytest.mark.parametrize("mark", ["\r", "\x85", "\u2028", "\u2029"])
def test_what_ends_a_line_for_yaml_only_moves_no_line(mark: str) -> None:
    (document,) = yaml_documents(f"a: 'x{mark}y'\nb: 2\n")
    assert document.node is not None
    assert line_map(document.node)["b"] == 2


@given(MAPPINGS)
def test_dumped_values_come_back(value: dict[str, Json]) -> None:
    dumped = yaml.safe_dump(value)  # pyright: ignore[reportUnknownMemberType] - partly untyped
    assert values(dumped) == [value]


def test_lines_are_those_of_the_keys() -> None:
    text = "# comment\nkind: Pod\nmetadata:\n  labels:\n    a.b/c: x\nspec:\n  containers:\n  - name: one\n    image: i\n"
    (document,) = yaml_documents(text)
    assert document.node is not None
    lines = line_map(document.node)
    assert lines["kind"] == 2
    assert lines["metadata.labels.[a.b/c]"] == 5
    assert lines["spec.containers.0"] == 8
    assert lines["spec.containers.0.image"] == 9


def test_a_broken_document_is_named_and_the_others_are_read() -> None:
    text = "kind: Pod\n---\nkind: [unclosed\n---\nkind: Node\n"
    found = list(yaml_documents(text))
    assert [plain(document.node) for document in found if document.node is not None] == [
        {"kind": "Pod"},
        {"kind": "Node"},
    ]
    assert [document.problem for document in found if document.problem] == ["the YAML breaks at line 4"]
    assert line_map(found[2].node or pytest.fail("no node"))["kind"] == 5


def test_times_and_odd_numbers_stay_text() -> None:
    assert values("a: 2026-09-05\nb: 17:19:31\nc: 1_000\nd: 0x1F\n") == [
        {"a": "2026-09-05", "b": "17:19:31", "c": "1_000", "d": "0x1F"}
    ]


def test_aliases_cannot_blow_up() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{index}: &a{index} [{', '.join([f'*a{index - 1}'] * 10)}]" for index in range(1, 12)]
    (document,) = yaml_documents("\n".join(lines))
    assert document.problem == "the YAML repeats itself through aliases; it was cut"


def test_deep_nesting_does_not_raise() -> None:
    for document in yaml_documents("[" * 5000):
        assert document.node is not None or document.problem
