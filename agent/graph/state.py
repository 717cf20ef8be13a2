"""What the graph carries from node to node: digests only, so that a checkpoint stays small and holds no data."""

from typing import Annotated, TypedDict


def merged(left: dict[str, str], right: dict[str, str]) -> dict[str, str]:
    """Return both, the later one winning: the reducer of `stages`."""
    return {**left, **right}


class State(TypedDict):
    """Where a run stands.

    stages: stage name → digest of its stored output. rounds: how often the model brought more documents in.
    """

    stages: Annotated[dict[str, str], merged]
    rounds: int


class Change(TypedDict, total=False):
    """What a node adds to the state."""

    stages: dict[str, str]
    rounds: int
