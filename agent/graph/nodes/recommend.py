"""What to do and what not to do."""

from firstfault.agent.graph import codec
from firstfault.agent.graph.nodes.hypothesize import concluded
from firstfault.agent.graph.state import Change, State
from firstfault.agent.graph.workshop import Workshop
from firstfault.agent.recommend.advice import recommend as actions_for
from firstfault.agent.recommend.advice import warn


def recommend(workshop: Workshop, state: State) -> Change:
    """Derive actions and warnings from the class definition behind the diagnosis."""
    conclusion, signals = concluded(workshop, state)
    result = codec.Recommended(
        recommendations=actions_for(conclusion, signals),
        do_not=warn(conclusion, signals),
    )
    actions = [f"{each.action.value} {each.target}" for each in result.recommendations]
    return workshop.finish(
        state,
        "recommend",
        result,
        why="; ".join(actions) or "nothing to recommend",
        payload={"actions": actions},
    )
