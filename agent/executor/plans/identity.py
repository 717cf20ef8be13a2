"""That an object is still the one that was decided on, and not another of the same name."""

from firstfault.agent.executor.steps import Check, Test
from firstfault.agent.facts.snapshot import ApiObject


def same_object(path: str, item: ApiObject) -> Check:
    """Return the check that the object at `path` is `item` and no namesake."""
    return Check(path=path, test=Test.IS, field=("metadata", "uid"), value=item.value("metadata", "uid"))
