"""Every executable action, killed with SIGKILL at every moment, started again: the same end as undisturbed, nothing twice.

`make test` kills each plan at one moment, another one for each; `make kills` at all of them.
"""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from firstfault.policies.actions import EXECUTABLE
from firstfault.policies.history import Ending
from tests.acceptance.killing.moments import moments
from tests.acceptance.killing.stage import PLAYED, Left, played, staged
from tests.acceptance.killing.zygote import Zygote
from tests.postgres import postgres_server_fixture, postgres_template_fixture

__all__ = ["postgres_server_fixture", "postgres_template_fixture"]


@pytest.fixture(scope="module")
def zygote(tmp_path_factory: pytest.TempPathFactory) -> Generator[Zygote]:
    """Give what starts executors."""
    made = Zygote(tmp_path_factory.mktemp("zygote") / "said")
    yield made
    made.close()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", sorted(PLAYED))
def test_killed_at_any_moment_and_started_again_it_ends_the_same(
    name: str,
    zygote: Zygote,
    postgres_server: str,
    postgres_template: str,
    tmp_path: Path,
    kill_noted: Callable[[str, str, str], None],
    is_every_kill: bool,
) -> None:
    with staged(name, postgres_server, postgres_template, tmp_path) as stage:
        undisturbed, seen = played(stage, zygote, None)
        assert_good(undisturbed, is_taken_back="taken back" in name)
        known = list(moments(seen).items())
        place = sorted(PLAYED).index(name) * 7 % len(known)
        for moment, words in known if is_every_kill else known[place : place + 1]:
            left, _ = played(stage, zygote, moment)
            assert left == undisturbed, f"{name}, {words} ({moment})"
            kill_noted(name, words, "same end")


def assert_good(left: Left, *, is_taken_back: bool) -> None:
    assert left.ending is (Ending.UNDONE if is_taken_back else Ending.DONE)
    assert bool(left.breakers) is is_taken_back
    assert left.requests.total() == len(left.requests) > 0
    assert left.events.total() == len(left.events) > 0
    assert left.is_sound


def test_no_executable_action_is_left_out() -> None:
    named = {name.partition(" ")[0].strip(",") for name in PLAYED}

    assert {action for action in EXECUTABLE if not any(action.startswith(name) for name in named)} == set()
