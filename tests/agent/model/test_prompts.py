import hashlib
from importlib import resources

import pytest

from firstfault.agent.model.prompts import load_prompt


@pytest.mark.parametrize("name", ["deliberate", "repair", "last", "reword"])
def test_a_prompt_is_a_file_with_a_digest(name: str) -> None:
    prompt = load_prompt(name)
    data = (resources.files("firstfault.agent.model.prompts") / f"{name}.md").read_bytes()
    assert prompt.text
    assert prompt.digest == hashlib.sha256(data).hexdigest()


def test_an_unknown_prompt_does_not_exist() -> None:
    with pytest.raises(FileNotFoundError):
        load_prompt("none")
