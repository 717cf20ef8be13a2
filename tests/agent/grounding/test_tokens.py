import pytest

from firstfault.agent.grounding.tokens import Sort, stem, tokenize

SORTS = [
    ("79", Sort.NUMBER),
    ("1,024", Sort.NUMBER),
    ("-6", Sort.NUMBER),
    ("three", Sort.NUMBER),
    ("0000:91:00", Sort.NAME),
    ("gpu-n7", Sort.NAME),
    ("raw/kernel.log:3", Sort.NAME),
    ("03:00:05Z", Sort.TIME),
    ("2026-03-01T03:00:05.25Z", Sort.TIME),
    ("bus.", Sort.WORD),
    ("(bus)", Sort.WORD),
]


@pytest.mark.parametrize(("text", "sort"), SORTS)
def test_each_token_is_of_one_sort(text: str, sort: Sort) -> None:
    assert [token.sort for token in tokenize(text)] == [sort]


def test_a_number_with_its_unit_is_two_tokens() -> None:
    assert [token.stem for token in tokenize("11.9s 80%")] == ["11.9", "s", "80", "%"]


@pytest.mark.parametrize(
    "words",
    [
        ("fail", "fails", "failed", "failing", "failure"),
        ("fall", "fell", "fallen"),
        ("drop", "dropped", "dropping"),
        ("cause", "causes", "caused"),
        ("switch", "switches"),
    ],
)
def test_forms_of_one_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


def test_a_negation_reaches_over_the_next_words() -> None:
    marks = {token.stem: token.negated for token in tokenize("GPU no longer answers the host driver today")}
    assert marks[stem("answers")]
    assert not marks[stem("gpu")]
    assert not marks[stem("today")]


def test_failing_turns_what_stands_before_it() -> None:
    assert {token.stem: token.negated for token in tokenize("pod create failed")}[stem("create")]


def test_a_hedge_weakens_what_follows_and_or_weakens_all() -> None:
    tokens = {token.stem: token for token in tokenize("the cable is often broken or loose")}
    assert tokens[stem("broken")].hedged
    assert not tokens[stem("cable")].hedged
    assert all(token.either for token in tokens.values())
