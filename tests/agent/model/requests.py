"""Requests for tests of the model's door."""

from firstfault.agent.model.port import Message, ModelRequest, OutputSchema, Speaker

SCHEMA = OutputSchema(
    name="deliberation", schema={"type": "object", "properties": {}, "additionalProperties": False}
)


def request(
    text: str = "INCIDENT\nquestion: why", *, attempts: int = 8, timeout_s: float = 30.0
) -> ModelRequest:
    """Return a request with a fixed system message."""
    return ModelRequest(
        step="test",
        messages=(
            Message(speaker=Speaker.SYSTEM, text="fixed"),
            Message(speaker=Speaker.USER, text=text),
        ),
        output=SCHEMA,
        max_completion_tokens=100,
        max_attempts=attempts,
        timeout_s=timeout_s,
    )
