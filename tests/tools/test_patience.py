"""No answer may hold an incident up."""

from collections.abc import Iterator

import pytest

from firstfault.tools.patience import ImpatienceError, Patience, remedy, whole


def test_an_answer_that_drips_is_given_up() -> None:
    ticks = iter(range(100))

    def drops() -> Iterator[bytes]:
        while True:
            yield b"."

    with pytest.raises(ImpatienceError, match="still coming after 5 s"):
        whole(drops(), seconds=5, clock=lambda: next(ticks))


def test_an_answer_without_end_is_given_up() -> None:
    with pytest.raises(ImpatienceError, match="larger than 10 bytes"):
        whole([b"12345", b"123456"], most=10)
    assert whole([b"12345", b"12345"], most=10) == b"1234512345"


def test_waits_are_granted_until_they_are_used_up() -> None:
    waited: list[float] = []
    patience = Patience(left_s=3, wait=waited.append)
    assert patience.grants(2)
    assert not patience.grants(2)
    assert not patience.grants(None)
    assert patience.grants(1)
    assert waited == [2, 1]


def test_a_code_says_what_to_do() -> None:
    assert "renew the token" in remedy(401)
    assert remedy(418) == ""
