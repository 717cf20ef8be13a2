"""The outbox and its sender: nothing lost, nothing doubled, in order, at Slack's pace."""

from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firstfault.agent.slack.guard import Guard
from firstfault.agent.slack.outbound.sender import PICTURE, Sender
from firstfault.agent.slack.ports.port import (
    BusyError,
    MessageGoneError,
    Picture,
    PlaceGoneError,
    UnclearError,
    UnreachableChatError,
)
from firstfault.agent.store import Store, open_store
from firstfault.agent.store.messages import Delivery, Wish
from tests.agent.slack.fakes import FakePort

NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class KilledError(BaseException):
    """The process dies here."""


@pytest.fixture
def store(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path / "state") as opened:
        yield opened


def sender_of(store: Store, port: FakePort) -> Sender:
    return Sender(store=store, port=port, draw=drawn, said=lambda _: None)


def drawn(description: object) -> Picture:
    del description
    return Picture(name="timeline.png", title="t", alt="a", data=b"png")


def want(
    store: Store, key: str, text: str = "one", *, channel: str = "C1", parent: str | None = None
) -> None:
    content: dict[str, object] = {"text": text, "blocks": list[object]()}
    store.messages.want(Wish(key=key, kind="card", channel=channel, content=content, parent=parent), NOW)


def drain(sender: Sender, start: datetime = NOW, steps: int = 500) -> datetime:
    """Send until nothing is left; return when that was."""
    now = start
    for _ in range(steps):
        if not sender.step(now) and not sender.store.messages.due(now + timedelta(days=1)):
            return now
        now += SECOND / 2
    msg = "the backlog does not drain"
    raise AssertionError(msg)


def test_one_message_a_second_to_a_channel_and_channels_do_not_wait_for_each_other(store: Store) -> None:
    port = FakePort()
    for number in range(3):
        want(store, f"a{number}")
        want(store, f"b{number}", channel="C2")
    sender = sender_of(store, port)
    sender.step(NOW)
    sender.step(NOW + SECOND / 2)
    assert port.calls == [("post", "a0"), ("post", "b0")]
    sender.step(NOW + SECOND)
    assert len(port.calls) == 4


def test_replies_come_after_the_message_they_answer_and_in_its_thread(store: Store) -> None:
    port = FakePort()
    want(store, "card/details", parent="card")
    want(store, "card")
    drain(sender_of(store, port))
    assert port.calls == [("post", "card"), ("post", "card/details")]
    assert list(port.threads.values()) == [None, "C1-1"]


def test_what_changes_before_it_is_shown_is_sent_once(store: Store) -> None:
    port = FakePort()
    for text in ("one", "two", "three"):
        want(store, "card", text)
    sender = sender_of(store, port)
    drain(sender)
    for text in ("four", "five"):
        want(store, "card", text)
    drain(sender, NOW + timedelta(minutes=1))
    assert port.calls == [("post", "card"), ("update", "card")]
    assert port.shown["C1-1"].content["text"] == "five"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_process_that_dies_while_it_posts_neither_loses_nor_doubles(store: Store, when: str) -> None:
    def die(method: str) -> None:
        if method == "post":
            raise KilledError

    port = FakePort(before=die) if when == "before" else FakePort(after=die)
    want(store, "card")
    with pytest.raises(KilledError):
        sender_of(store, port).step(NOW)
    kept = store.messages.get("card")
    assert kept is not None
    assert kept.state is Delivery.BEGUN
    port.before = port.after = lambda _: None
    drain(sender_of(store, port), NOW + timedelta(minutes=1))
    assert port.posts_of("card") == 1
    assert len(port.shown) == 1


def test_a_message_found_again_is_brought_up_to_date(store: Store) -> None:
    def die(_: str) -> None:
        raise KilledError

    port = FakePort(after=die)
    want(store, "card")
    with pytest.raises(KilledError):
        sender_of(store, port).step(NOW)
    want(store, "card", "newer")
    port.after = lambda _: None
    drain(sender_of(store, port), NOW + timedelta(minutes=1))
    assert [each.content["text"] for each in port.shown.values()] == ["newer"]


def test_no_answer_to_a_post_is_looked_into_before_it_is_posted_again(store: Store) -> None:
    troubles = [UnclearError("no answer")]

    def lose_answer(method: str) -> None:
        if method == "post" and troubles:
            raise troubles.pop()

    port = FakePort(after=lose_answer)
    want(store, "card")
    drain(sender_of(store, port))
    assert port.calls == [("post", "card"), ("find", "card")]


def test_a_busy_server_is_asked_again_when_it_said_and_not_before(store: Store) -> None:
    troubles = [BusyError("later", 30.0)]

    def refuse(method: str) -> None:
        if method == "post" and troubles:
            raise troubles.pop()

    port = FakePort(before=refuse)
    want(store, "a")
    want(store, "b", channel="C2")
    sender = sender_of(store, port)
    sender.step(NOW)
    sender.step(NOW + timedelta(seconds=29))
    assert port.calls == []
    drain(sender, NOW + timedelta(seconds=30))
    assert {key for _, key in port.calls} == {"a", "b"}


def test_a_server_that_cannot_be_reached_loses_nothing(store: Store) -> None:
    down = [True]

    def refuse(_: str) -> None:
        if down:
            msg = "connection refused"
            raise UnreachableChatError(msg)

    port = FakePort(before=refuse)
    want(store, "card")
    sender = sender_of(store, port)
    for minute in range(20):
        sender.step(NOW + timedelta(minutes=minute))
    down.clear()
    drain(sender, NOW + timedelta(hours=1))
    assert port.posts_of("card") == 1


@pytest.mark.parametrize("error", [PlaceGoneError("is_archived"), MessageGoneError("message_not_found")])
def test_what_can_never_be_shown_holds_nothing_up(store: Store, error: Exception) -> None:
    def refuse(_: str) -> None:
        if len(port.calls) == 0 and not refused:
            refused.append(1)
            raise error

    refused: list[int] = []
    port = FakePort(before=refuse)
    want(store, "gone")
    want(store, "gone/details", parent="gone")
    want(store, "fine")
    drain(sender_of(store, port))
    assert port.calls == [("post", "fine")]
    assert store.messages.counts()["lost"] == 2


def test_a_picture_is_put_in_the_thread_once(store: Store) -> None:
    def die(_: str) -> None:
        raise KilledError

    port = FakePort(after=die)
    wish = Wish(key="card/picture", kind=PICTURE, channel="C1", content={"incident": "i", "version": 1})
    store.messages.want(wish, NOW)
    with pytest.raises(KilledError):
        sender_of(store, port).step(NOW)
    drain(sender_of(store, port), NOW + timedelta(minutes=1))
    assert port.pictures == ["timeline.png"]


def test_a_storm_is_shown_in_order_and_updates_fall_together(store: Store) -> None:
    """40 cards wanted within 12 s, each with a reply, each changed twice since; one channel, one message a second."""
    port = FakePort()
    sender = sender_of(store, port)
    names = [f"card{number:02d}" for number in range(40)]
    now = NOW
    for number, name in enumerate(names):
        want(store, name, "first")
        want(store, f"{name}/details", "details", parent=name)
        now = NOW + timedelta(seconds=number * 0.3)
        sender.step(now)
        for text in ("second", "third"):
            want(store, name, text)
    ended = drain(sender, now)
    posted = [key for call, key in port.calls if call == "post"]
    assert len(posted) == len(set(posted)) == 2 * len(names)
    assert [key for key in posted if "/" not in key] == names
    assert all(posted.index(name) < posted.index(f"{name}/details") for name in names)
    assert {each.content["text"] for each in port.shown.values()} == {"third", "details"}
    assert ended - NOW < timedelta(seconds=2 * len(names) + 10)
    assert sender.counts["updated"] <= len(names)


def test_a_message_that_cannot_be_made_holds_nothing_up_and_is_given_up(store: Store) -> None:
    def broken(_: object) -> Picture | None:
        msg = "no font"
        raise ValueError(msg)

    port, told = FakePort(), list[str]()
    wish = Wish(key="picture", kind=PICTURE, channel="C1", content={"incident": "i", "version": 1})
    store.messages.want(wish, NOW)
    want(store, "card")
    sender = Sender(store=store, port=port, draw=broken, said=told.append)
    guard = Guard(name="chat", said=told.append)
    for minute in range(60):
        sender.step(NOW + timedelta(minutes=minute), guard)
    guard.close()
    assert port.calls == [("post", "card")]
    assert store.messages.counts()["lost"] == 1
    assert any("no font" in line for line in told)


def test_messages_for_a_place_that_is_not_set_up_wait_for_it(store: Store) -> None:
    want(store, "card", channel="webhook")
    port = FakePort()
    assert not sender_of(store, port).step(NOW)
    assert port.calls == []
    assert len(store.messages.due(NOW)) == 1
