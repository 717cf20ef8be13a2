"""Which parts of the chat completions interface a server takes. Pure.

Servers differ: some know no `json_schema`, some no `seed`, reasoning models take no temperature and want
`max_completion_tokens`, older ones only know `max_tokens`. A refusal that names a parameter makes the dialect simpler.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from firstfault.agent.model.port import Json, OutputSchema


class Structured(StrEnum):
    """How the form of an answer is asked for, strictest first."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"


_LOOSER = {Structured.JSON_SCHEMA: Structured.JSON_OBJECT, Structured.JSON_OBJECT: Structured.TEXT}
_OLDER_LIMIT = {"max_completion_tokens": "max_tokens"}
_FORM_WORDS = (
    "response_format",
    "json_schema",
    "json_object",
    "json schema",
    "json mode",
    "structured",
    "grammar",
    "guided",
    "schema",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What the next request may contain."""

    structured: Structured = Structured.JSON_SCHEMA
    limit: str | None = "max_completion_tokens"
    takes_seed: bool = True
    takes_temperature: bool = True

    def parameters(self, output: OutputSchema, max_tokens: int, seed: int | None) -> dict[str, Json]:
        """Return the optional parameters of a request."""
        found: dict[str, Json] = {}
        if self.structured is Structured.JSON_SCHEMA:
            schema: Mapping[str, Json] = {"name": output.name, "strict": True, "schema": output.schema}
            found["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.structured is Structured.JSON_OBJECT:
            found["response_format"] = {"type": "json_object"}
        if self.limit is not None:
            found[self.limit] = max_tokens
        if self.takes_seed and seed is not None:
            found["seed"] = seed
        if self.takes_temperature:
            found["temperature"] = 0
        return found

    def form_in_words(self, output: OutputSchema) -> str:
        """Return what must be said of the form where the server does not enforce it, else nothing."""
        if self.structured is Structured.JSON_SCHEMA:
            return ""
        schema = json.dumps(output.schema, separators=(",", ":"))
        return f"\n\nAnswer with one JSON object of this JSON Schema and nothing else: {schema}"

    def simpler_after(self, complaint: str) -> "Dialect | None":
        """Return the dialect without what a 400 or 422 `complaint` names, or None when it names nothing that can go."""
        text = complaint.lower()
        if "context" in text and "length" in text:
            return None
        if self.limit is not None and self.limit in text:
            return replace(self, limit=_OLDER_LIMIT.get(self.limit))
        for parameter, taken, simpler in (
            ("temperature", self.takes_temperature, replace(self, takes_temperature=False)),
            ("seed", self.takes_seed, replace(self, takes_seed=False)),
        ):
            if taken and parameter in text:
                return simpler
        looser = _LOOSER.get(self.structured)
        return (
            None
            if looser is None or not any(w in text for w in _FORM_WORDS)
            else replace(self, structured=looser)
        )
