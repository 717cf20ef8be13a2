"""Many who bring alerts at the same time: each is answered for its own, nothing is lost, and few commits do for all."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstfault.agent.serve.keeping import Keeper
from firstfault.agent.store import UnreachableError, open_store
from firstfault.agent.store.inbox import Inbox, Received
from firstfault.tools.alerts.alert import Alert

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
MANY = 24


def alert(number: int) -> Alert:
    return Alert(
        fingerprint=f"{number:016x}", starts_at=NOW, is_firing=True, labels={"alertname": "LinkDown"}
    )


def test_everybody_is_answered_for_what_they_brought_after_few_commits(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        commits: list[datetime] = []
        began, go_on = threading.Event(), threading.Event()

        def clock() -> datetime:
            commits.append(NOW)
            began.set()
            go_on.wait()
            return NOW

        keeper = Keeper(store=store, clock=clock)
        with ThreadPoolExecutor(MANY) as pool:
            first = pool.submit(keeper.keep, [alert(0)])
            began.wait()
            rest = [pool.submit(keeper.keep, [alert(number), alert(0)]) for number in range(1, MANY)]
            go_on.set()
            assert first.result() == Received(new=1)
            assert {each.result() for each in rest} == {Received(new=1, known=1)}
        assert store.inbox.count() == MANY


def test_what_cannot_be_kept_is_told_to_whom_it_belongs_and_is_kept_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Inbox.receive

    def refuses(self: Inbox, alerts: list[Alert], now: datetime) -> Received:
        if any(each.fingerprint == f"{3:016x}" for each in alerts):
            msg = "the disk is full"
            raise UnreachableError(msg)
        return real(self, alerts, now)

    with open_store(tmp_path) as store:
        keeper = Keeper(store=store, clock=lambda: NOW)
        monkeypatch.setattr(Inbox, "receive", refuses)
        gate = threading.Barrier(MANY)

        def bring(number: int) -> Received | str:
            gate.wait()
            try:
                return keeper.keep([alert(number)])
            except UnreachableError as error:
                return str(error)

        with ThreadPoolExecutor(MANY) as pool:
            found = list(pool.map(bring, range(MANY)))
        assert [each for each in found if isinstance(each, str)] == ["the disk is full"]
        assert found[3] == "the disk is full"
        assert store.inbox.count() == MANY - 1
        monkeypatch.undo()
        assert keeper.keep([alert(3)]) == Received(new=1)
        assert store.inbox.count() == MANY
