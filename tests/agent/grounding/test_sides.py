import pytest

from firstfault.agent.grounding.sides import Link, Sides, sides_of

LINKED = [
    ("A caused B", Sides(earlier="A ", later=" B", link=Link.CAUSE)),
    ("B was caused by A", Sides(earlier=" A", later="B ", link=Link.CAUSE)),
    ("B because of A", Sides(earlier=" A", later="B ", link=Link.CAUSE)),
    ("Because of A, B", Sides(earlier=" A", later="B", link=Link.CAUSE)),
    ("B is an echo of A", Sides(earlier=" A", later="B ", link=Link.CAUSE)),
    ("A before B", Sides(earlier="A ", later=" B", link=Link.ORDER)),
    ("B after A", Sides(earlier=" A", later="B ", link=Link.ORDER)),
    ("B followed A", Sides(earlier=" A", later="B ", link=Link.ORDER)),
    ("A followed by B", Sides(earlier="A ", later=" B", link=Link.ORDER)),
    ("A, therefore B", Sides(earlier="A, ", later=" B", link=Link.CAUSE)),
]


@pytest.mark.parametrize(("sentence", "sides"), LINKED, ids=[sentence for sentence, _ in LINKED])
def test_a_linking_word_tells_which_side_is_earlier(sentence: str, sides: Sides) -> None:
    assert sides_of(sentence) == sides


def test_without_a_link_there_is_one_side() -> None:
    assert sides_of("A is B") == Sides(earlier="A is B")


def test_a_linking_word_inside_a_name_links_nothing() -> None:
    assert sides_of("dns follows is a symptom", ["dns follows"]) == Sides(earlier="dns follows is a symptom")
    assert sides_of("dns follows follows A", ["dns follows"]) == Sides(
        earlier=" A", later="dns follows ", link=Link.ORDER
    )


@pytest.mark.parametrize("sentence", ["A caused B after C", "Then A", "Before A B", "After A B", "So A"])
def test_what_cannot_be_taken_apart_surely_is_not(sentence: str) -> None:
    assert sides_of(sentence) is None
