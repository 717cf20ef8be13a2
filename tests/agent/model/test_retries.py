from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.model.retries import LONGEST_DELAY_S, Circuit, delay_before_retry, retry_after_s

DATE = "Sun, 01 Mar 2026 03:00:00 GMT"
LATER = "Sun, 01 Mar 2026 03:00:07 GMT"


def test_retry_after_is_read_as_seconds_or_date_and_nothing_else() -> None:
    assert retry_after_s("7", None) == 7
    assert retry_after_s("0.5", None) == 0.5
    assert retry_after_s(LATER, DATE) == 7
    assert retry_after_s(DATE, LATER) == 0
    for nonsense in (None, "soon", "", "nan", "inf", "-"):
        assert retry_after_s(nonsense, DATE) is None
    assert retry_after_s("-5", None) == 0
    assert retry_after_s(LATER, None) is None


@given(st.integers(1, 50), st.floats(0, 1))
def test_the_wait_doubles_with_jitter_up_to_a_limit(attempt: int, chance: float) -> None:
    full = min(LONGEST_DELAY_S, 0.5 * 2 ** (attempt - 1))
    assert full / 2 <= delay_before_retry(attempt, None, chance) <= full


def test_the_server_is_obeyed_before_the_doubling() -> None:
    assert delay_before_retry(1, 30.0, 0.0) == 30.0


def test_a_circuit_opens_after_failures_in_a_row_and_lets_one_try_after_the_rest() -> None:
    circuit = Circuit(threshold=2, rest_s=10)
    circuit = circuit.after_failure(0.0).after_success().after_failure(1.0)
    assert not circuit.refuses(1.0)
    circuit = circuit.after_failure(2.0)
    assert circuit.refuses(2.0)
    assert circuit.refuses(11.9)
    assert not circuit.refuses(12.0)
    assert circuit.after_failure(12.0).refuses(13.0)
    assert not circuit.after_success().refuses(12.0)
