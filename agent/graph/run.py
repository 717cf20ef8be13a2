"""One investigation from start to report, or from where it was left after a crash."""

from langgraph.checkpoint.base import BaseCheckpointSaver

from firstfault.agent.graph import codec
from firstfault.agent.graph.nodes.publish import sealed_report
from firstfault.agent.graph.state import State
from firstfault.agent.graph.wiring import wire
from firstfault.agent.graph.workshop import Workshop
from firstfault.agent.report.contract import Report


def investigate(workshop: Workshop, checkpointer: BaseCheckpointSaver[str]) -> Report:
    """Return the report of the workshop's incident.

    The correlation id names the thread: a run that was killed goes on after its last finished node, and since every
    node stores its output and its audit event in one transaction under a fixed key, nothing is done or told twice.
    """
    graph = wire(workshop, checkpointer)
    thread = {"configurable": {"thread_id": workshop.incident.correlation_id}}
    left = graph.get_state(thread)
    is_new = not left.values and not left.next
    start = State(stages={}, rounds=0) if is_new else None
    final = graph.invoke(start, thread, durability="sync") if is_new or left.next else left.values
    report = codec.decode(Report, workshop.store.stages.load(final["stages"]["publish"]))
    return sealed_report(workshop, report)
