"""The prompts: text files beside this module, each with a digest that the audit records."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt file. digest: sha256 of its bytes, in hex."""

    name: str
    text: str
    digest: str


@lru_cache(maxsize=8)
def load_prompt(name: str) -> Prompt:
    """Return the prompt in `<name>.md`. Raises FileNotFoundError when there is none."""
    data = (resources.files(__package__ or "") / f"{name}.md").read_bytes()
    return Prompt(name=name, text=data.decode("utf-8").strip(), digest=hashlib.sha256(data).hexdigest())
