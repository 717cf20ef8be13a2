from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.model.budget import Budget, BudgetLimits, Spent, Stop, estimated_tokens
from firstfault.agent.model.port import Price, Usage
from tests.agent.model.requests import request
from tests.vocabulary import tokens

PRICE = Price(prompt=1_000_000, completion=0)
"""A dollar a prompt token."""


def test_a_new_budget_lets_a_question_pass() -> None:
    assert Budget().stop_before(request(), None) is None


def test_each_limit_stops_with_its_own_reason() -> None:
    small = BudgetLimits(calls=1, prompt_tokens=10_000, completion_tokens=10, seconds=1.0, cost_usd=1.0)
    cases = [
        (Spent(calls=1), None, Stop.CALLS),
        (Spent(seconds=1.0), None, Stop.SECONDS),
        (Spent(prompt_tokens=9_999), None, Stop.TOKENS),
        (Spent(completion_tokens=10), None, Stop.TOKENS),
        (Spent(), PRICE, Stop.COST),
    ]
    for spent, price, stop in cases:
        assert Budget(limits=small, spent=spent).stop_before(request(), price) is stop


def test_an_unknown_price_stops_nothing_and_stays_unknown() -> None:
    budget = Budget(limits=BudgetLimits(cost_usd=0.000001))
    assert budget.stop_before(request(), None) is None
    charged = budget.charged(request(), "", Usage(attempts=1, prompt_tokens=10, completion_tokens=1), None)
    assert charged.spent.cost_usd is None
    again = charged.charged(request("other"), "", Usage(attempts=1), PRICE)
    assert again.spent.cost_usd is None


def test_the_same_question_is_not_asked_twice() -> None:
    budget = Budget().charged(request(), "", Usage(attempts=1), None)
    assert budget.stop_before(request(), None) is Stop.REPEATED
    assert budget.stop_before(request("another"), None) is None


def test_what_the_server_does_not_count_is_estimated() -> None:
    budget = Budget().charged(request("x" * 1000), "y" * 200, Usage(attempts=1), None)
    assert budget.spent.prompt_tokens > 400
    assert budget.spent.completion_tokens == 100


def test_what_never_left_costs_no_tokens() -> None:
    spent = Budget().charged(request(), "", Usage(attempts=0), None).spent
    assert (spent.calls, spent.prompt_tokens) == (0, 0)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 50_000), st.floats(0, 200)), max_size=12))
def test_spending_only_grows_and_a_stopped_budget_stays_stopped(used: list[tuple[int, int, float]]) -> None:
    budget, stopped = Budget(), False
    for number, (calls, prompt, seconds) in enumerate(used):
        before = budget.spent
        usage = Usage(attempts=calls, prompt_tokens=prompt, completion_tokens=1, seconds=seconds)
        budget = budget.charged(request(str(number)), "", usage, None)
        assert budget.spent.calls >= before.calls
        assert budget.spent.prompt_tokens >= before.prompt_tokens
        assert budget.spent.seconds >= before.seconds
        stop = budget.stop_before(request("next"), None)
        assert not stopped or stop is not None
        stopped = stop is not None


def test_the_estimate_is_not_below_the_count_for_log_lines() -> None:
    line = "[6781741.548779] NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, 0x1f3a9b00\n"
    assert estimated_tokens(request(line * 50)) >= tokens(line * 50)
