"""Nodes and edges. Nothing else."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]  # langgraph marks only parts as typed

from firstfault.agent.graph import codec
from firstfault.agent.graph.nodes.approve import approve
from firstfault.agent.graph.nodes.collect import collect, preserve
from firstfault.agent.graph.nodes.correlate import correlate
from firstfault.agent.graph.nodes.deliberate import deliberate
from firstfault.agent.graph.nodes.extract import extract
from firstfault.agent.graph.nodes.gate import gate
from firstfault.agent.graph.nodes.hypothesize import hypothesize
from firstfault.agent.graph.nodes.intake import intake
from firstfault.agent.graph.nodes.publish import publish
from firstfault.agent.graph.nodes.recall import recall
from firstfault.agent.graph.nodes.recommend import recommend
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop

Node = Callable[[Workshop, State], Change]
BEFORE_THE_MODEL: tuple[Node, ...] = (intake, preserve, collect, extract, correlate, hypothesize, deliberate)
AFTER_THE_MODEL: tuple[Node, ...] = (recall, recommend, gate, publish, approve)
NODES = {node.__name__: node for node in (*BEFORE_THE_MODEL, *AFTER_THE_MODEL)}


class Snapshot(Protocol):
    """Where a thread of the graph stands: the state, and the nodes that come next (none: finished or never begun)."""

    @property
    def values(self) -> State:
        """Return the state after the last finished node, empty before the first."""
        ...

    @property
    def next(self) -> tuple[str, ...]:
        """Return the names of the nodes to run."""
        ...


class Graph(Protocol):
    """What is used of a compiled graph."""

    def get_state(self, config: dict[str, Any]) -> Snapshot:
        """Return where the thread named in `config` stands."""
        ...

    def invoke(self, start: State | None, config: dict[str, Any], *, durability: str) -> State:
        """Run from `start` (None: from where the thread was left) to the end."""
        ...


def wire(workshop: Workshop, checkpointer: BaseCheckpointSaver[str]) -> Graph:
    """Return the graph over `workshop`: one line of stages, with a way back to extract when the model read more."""
    graph: Any = StateGraph(State)
    for name, node in NODES.items():
        graph.add_node(name, _bound(node, workshop))
    graph.add_edge(START, "intake")
    for earlier, later in pairwise(NODES):
        if earlier != "deliberate":
            graph.add_edge(earlier, later)
    graph.add_conditional_edges("deliberate", _after_deliberation(workshop), ["extract", "recall"])
    graph.add_edge("approve", END)
    return graph.compile(checkpointer=checkpointer)


def _bound(node: Node, workshop: Workshop) -> Callable[[State], Change]:
    def run(state: State) -> Change:
        return node(workshop, state)

    return run


def _after_deliberation(workshop: Workshop) -> Callable[[State], str]:
    def choose(state: State) -> str:
        return "extract" if workshop.load(state, "deliberate", codec.Deliberated).wants_more else "recall"

    return choose
