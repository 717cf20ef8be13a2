"""The pages of the failure classes."""

import pytest

from firstfault.agent.classes.definitions import Predicate, load_classes
from firstfault.agent.classes.pages import main, pages
from firstfault.agent.classes.wording import condition, open_names


def test_the_pages_are_what_the_definitions_say() -> None:
    assert main(["--check"]) == 0, "run `python -m firstfault.agent.classes.pages`"


def test_every_class_has_a_page_with_its_signs_and_its_sources() -> None:
    found = pages()
    for definition in load_classes():
        page = found[f"{definition.failure_class}.md"]
        assert f"({definition.failure_class}.md)" in found["README.md"]
        assert all(f"| {each.id} |" in page for each in definition.looks_for)
        assert all(f"- {source}" in page for source in definition.sources)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({}, ""),
        ({"any": ["a"]}, "`a`"),
        ({"any": ["a", "b"], "none": ["c"]}, "`a` or `b` but not `c`"),
        ({"all": ["a", "b"], "any": ["c", "d"]}, "`a` and `b` and (`c` or `d`)"),
        (
            {"all": ["a", "b"], "same": "node", "in_order": True, "within_s": 90},
            "`a` and `b`, on one node, in this order within 90 s",
        ),
        ({"none": ["a"]}, "not `a`"),
        ({"any": [{"signal": ["a", "b"], "where": {"x": {"gt": 3}}}]}, "`a` or `b` (x gt `3.0`)"),
        (
            {"any": [{"signal": "a", "entity": ["pod"], "not_family": ["note"], "min_nodes": 2}]},
            "`a` (not from note; about a pod; at least 2 machines)",
        ),
        (
            {"any": [{"signal": "a", "family": ["kernel"], "max_entities": 3}]},
            "`a` (from kernel; at most 3 things)",
        ),
    ],
)
def test_a_condition_is_put_in_words(rule: dict[str, object], said: str) -> None:
    assert condition(Predicate.model_validate(rule)) == said


def test_names_that_evidence_fills_in_stay_visible() -> None:
    assert open_names("{entity} has no room") == "‹entity› has no room"
