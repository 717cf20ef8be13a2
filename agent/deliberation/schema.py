"""The JSON Schema of an answer as strict servers want it: every property required, none added, nothing they do not know."""

from functools import lru_cache
from typing import cast

from firstfault.agent.deliberation.answer import Whole
from firstfault.agent.model.port import Json, OutputSchema


@lru_cache(maxsize=1)
def output_schema() -> OutputSchema:
    """Return the schema of a deliberation's answer."""
    return OutputSchema(
        name="deliberation", schema=cast("dict[str, Json]", _strict(Whole.model_json_schema()))
    )


_DROPPED = frozenset({"title", "description", "default", "maxLength"})


def _strict(schema: object) -> object:
    if isinstance(schema, list):
        return [_strict(item) for item in cast("list[object]", schema)]
    if isinstance(schema, dict):
        return _strict_part(cast("dict[str, object]", schema))
    return schema


def _strict_part(part: dict[str, object]) -> dict[str, object]:
    names = [name for name, value in part.items() if name not in _DROPPED or isinstance(value, dict)]
    found = {name: _strict(part[name]) for name in names}
    if isinstance(part.get("properties"), dict):
        found["required"] = list(cast("dict[str, object]", part["properties"]))
        found["additionalProperties"] = False
    return found
