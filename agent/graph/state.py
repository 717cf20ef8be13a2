"""What the graph carries from node to node: ids and digests, so that a checkpoint stays small and holds no data."""

from typing import Annotated, TypedDict


def merged(left: dict[str, str], right: dict[str, str]) -> dict[str, str]:
    """Return both, the later one winning: the reducer of `stages`."""
    return {**left, **right}


class State(TypedDict, total=False):
    """incident_id and correlation_id name the run; stages: stage name → digest of its stored output.

    rounds: how often the model has been asked for more reads.
    """

    incident_id: str
    correlation_id: str
    stages: Annotated[dict[str, str], merged]
    rounds: int
