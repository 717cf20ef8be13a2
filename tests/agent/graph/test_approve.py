"""Waiting for people survives the process: the checkpoint holds the place, the store holds who said what."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]  # partly typed

from firstfault.agent.findings import Incident
from firstfault.agent.gate.approving import ApprovalDesk
from firstfault.agent.graph.nodes.approve import approve
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop
from firstfault.agent.store import Store, open_store
from firstfault.agent.store.decisions import Origin, decision_record
from firstfault.policies import History
from firstfault.policies.approvals import Vote
from firstfault.policies.engine import inputs_of
from tests.agent.executor.kit import ROSTER
from tests.policies.worlds import NOW, facts, gate, limits, policies, proposal

THREAD = {"configurable": {"thread_id": "c-1"}}


@dataclass(frozen=True)
class Bench:
    """What the node looks at of a workshop."""

    store: Store
    incident: Incident
    now: datetime = NOW
    progress: Callable[[str], None] = lambda _stage: None


def asked(store: Store) -> str:
    inputs = inputs_of(proposal(), facts(), History.of([], []), limits(), policies())
    record = store.decisions.put(
        decision_record(inputs, gate(), correlation_id="c-1", made_at=NOW, origin=Origin.LIVE)
    )
    approval = ApprovalDesk(store=store, roster=ROSTER).ask(record, NOW)
    assert approval is not None
    return approval.id


def run(folder: Path, store: Store, start: State | None) -> tuple[bool, tuple[str, ...]]:
    """Run the graph in what stands for a new process; return whether it waits, and the nodes that come next."""
    bench = cast("Workshop", Bench(store, Incident(id="inc-1", question="?", correlation_id="c-1")))

    def wait(state: State) -> Change:
        return approve(bench, state)

    graph: Any = StateGraph(State)
    graph.add_node("approve", wait)
    graph.add_edge(START, "approve")
    graph.add_edge("approve", END)
    with SqliteSaver.from_conn_string(str(folder / "checkpoints.sqlite")) as saver:
        compiled = graph.compile(checkpointer=saver)
        final = compiled.invoke(start, THREAD, durability="sync")
        return "__interrupt__" in final, compiled.get_state(THREAD).next


def test_without_an_approval_the_graph_ends(tmp_path: Path) -> None:
    with open_store(tmp_path / "state") as store:
        assert run(tmp_path, store, State(stages={}, rounds=0)) == (False, ())


def test_it_waits_across_processes_until_people_have_spoken(tmp_path: Path) -> None:
    with open_store(tmp_path / "state") as store:
        approval_id = asked(store)
        assert run(tmp_path, store, State(stages={}, rounds=0)) == (True, ("approve",))

    with open_store(tmp_path / "state") as store:
        assert run(tmp_path, store, None) == (True, ("approve",))
        vote = Vote(approver="ada", is_yes=False, at=NOW, via="test")
        ApprovalDesk(store=store, roster=ROSTER).vote(approval_id, vote)

    with open_store(tmp_path / "state") as store:
        assert run(tmp_path, store, None) == (False, ())
