"""What tests compare facts by."""

from collections.abc import Callable

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Fact
from tests.documents import document

Value = str | float | int | bool


def facts_of(text: str, kind: Kind, **labels: str) -> tuple[Fact, ...]:
    """Return the facts that `text` gives; each can be cited."""
    facts = read(document(text, kind, **labels), NO_CONTEXT).facts
    for fact in facts:
        assert fact.cite().excerpt
    return facts


def values(
    facts: tuple[Fact, ...], name: str, matches: Callable[[Fact], bool] = lambda _: True
) -> list[Value]:
    """Return the values of the facts called `name`, in order."""
    return [fact.value for fact in facts if fact.name == name and matches(fact)]


def about(facts: tuple[Fact, ...], name: str) -> dict[str, Value]:
    """Return entity name → value of the facts called `name`."""
    return {fact.entity.name if fact.entity else "": fact.value for fact in facts if fact.name == name}
