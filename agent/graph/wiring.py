"""Nodes and edges. Nothing else."""

from collections.abc import Callable

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from firstfault.agent.graph import codec
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
from firstfault.agent.graph.state import State
from firstfault.agent.graph.workshop import Workshop

Node = Callable[[Workshop, State], State]
BEFORE_THE_MODEL: tuple[Node, ...] = (
    intake,
    preserve,
    collect,
    extract,
    correlate,
    hypothesize,
    deliberate,
)
AFTER_THE_MODEL: tuple[Node, ...] = (recall, recommend, gate, publish)
STAGES = tuple(node.__name__ for node in (*BEFORE_THE_MODEL, *AFTER_THE_MODEL))


def wire(
    workshop: Workshop, checkpointer: BaseCheckpointSaver[str]
) -> CompiledStateGraph[State, None, State, State]:
    """Return the graph over `workshop`: one line of stages, with a way back to extract when the model read more."""
    graph = StateGraph(State)
    nodes = (*BEFORE_THE_MODEL, *AFTER_THE_MODEL)
    for node in nodes:
        graph.add_node(node.__name__, _bound(node, workshop))
    graph.add_edge(START, nodes[0].__name__)
    for earlier, later in zip(nodes, nodes[1:], strict=False):
        if earlier is not deliberate:
            graph.add_edge(earlier.__name__, later.__name__)
    graph.add_conditional_edges(
        "deliberate", _after_deliberation(workshop), ["extract", "recall"]
    )
    graph.add_edge(nodes[-1].__name__, END)
    return graph.compile(checkpointer=checkpointer)


def _bound(node: Node, workshop: Workshop) -> Callable[[State], State]:
    def run(state: State) -> State:
        return node(workshop, state)

    return run


def _after_deliberation(workshop: Workshop) -> Callable[[State], str]:
    def choose(state: State) -> str:
        return (
            "extract"
            if workshop.load(state, "deliberate", codec.Deliberated).wants_more
            else "recall"
        )

    return choose
