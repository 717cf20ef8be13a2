"""The table of class words names classes that exist, and is what the own inputs say."""

import pytest

from firstfault.evals import words
from firstfault.evals.inputs import Expectation, Input, InputFile, input_paths, read_input
from firstfault.tools.catalogs.class_words import ALL_INPUTS, class_words
from firstfault.tools.catalogs.tables import read_table
from firstfault.tools.catalogs.taxonomy import failure_classes


def test_every_class_is_in_the_taxonomy() -> None:
    named = {name for counts in class_words().counts.values() for name in counts}
    assert named <= set(failure_classes())
    assert set(class_words().inputs) <= set(failure_classes())


def test_every_list_of_terms_has_a_source() -> None:
    assert [row["class"] for row in read_table("class_terms.csv") if not row["source"].strip()] == []


def test_the_table_is_what_the_inputs_say() -> None:
    wanted = words.words_table(read_input(path) for path in input_paths(words.INPUTS))
    assert words.TABLE.read_text(encoding="utf-8") == wanted, "run `python -m firstfault.evals.words`"


def test_only_what_people_say_is_counted_and_each_input_once() -> None:
    item = Input(
        question="Why is it slow?",
        files={
            "a.txt": InputFile(kind="operator_notes", text="CoreDNS coredns CoreDNS"),
            "b.log": InputFile(kind="container_log", text="segfault"),
        },
        expect=Expectation.model_validate({"class": "kubernetes.dns"}),
    )
    rows = words.words_table([item, item]).splitlines()
    assert f"{ALL_INPUTS},kubernetes.dns,2" in rows
    assert "slow,kubernetes.dns,2" in rows
    assert "coredn,kubernetes.dns,2" in rows
    assert not any(row.startswith("segfault") for row in rows)


def test_an_input_that_expects_no_class_says_nothing() -> None:
    item = Input(question="dns", files={}, expect=Expectation.model_validate({"not": ["host.down"]}))
    assert words.words_table([item]).splitlines() == ["word,class,inputs"]


@pytest.mark.parametrize("arguments", [["--check"]])
def test_check_says_when_the_table_is_current(arguments: list[str]) -> None:
    assert words.main(arguments) == 0
