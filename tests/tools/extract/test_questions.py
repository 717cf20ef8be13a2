"""What a question names is a hint: one machine or one workload, never several."""

import pytest

from firstfault.tools.extract.questions import asked_thing


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Builds fail on runner-4 with no space left.", "runner-4"),
        ("Node w-12: fork fails. Why?", "w-12"),
        ("Is node gpu-33 fit for jobs?", "gpu-33"),
        ("Why do node a-1 and node a-2 differ?", None),
        ("Which node is to blame?", None),
    ],
)
def test_a_machine_is_named_when_it_is_one_only(question: str, name: str | None) -> None:
    found = asked_thing(question, is_machine=True)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the matter with redis in namespace app-3?", "redis"),
        ("Pod user-api-66d-x is not ready. Why?", "user-api-66d-x"),
        ("Why is the job slow?", None),
    ],
)
def test_a_workload_is_named_when_it_is_one_only(question: str, name: str | None) -> None:
    found = asked_thing(question, is_machine=False)
    assert (found.name if found else None) == name
