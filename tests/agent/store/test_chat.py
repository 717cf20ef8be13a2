"""The outbox, the requests and the silences of the chat, on both databases."""

from datetime import datetime, timedelta
from typing import Any

from firstfault.agent.store import Store
from firstfault.agent.store.messages import Delivery, Wish
from firstfault.agent.store.requests import Request, Silence

SECOND = timedelta(seconds=1)


def wish(key: str, text: str = "one", **further: Any) -> Wish:  # noqa: ANN401 - any field of a wish
    return Wish(key=key, kind="card", channel="C1", content={"text": text}, **further)


def test_only_the_newest_wish_is_kept_and_its_place(store: Store, now: datetime) -> None:
    assert store.messages.want(wish("a"), now)
    assert not store.messages.want(wish("a", "two"), now)
    store.messages.want(wish("b"), now)
    assert [each.key for each in store.messages.due(now)] == ["a", "b"]
    kept = store.messages.get("a")
    assert kept is not None
    assert kept.content == {"text": "two"}


def test_what_says_what_it_should_is_not_due(store: Store, now: datetime) -> None:
    store.messages.want(wish("a"), now)
    kept = store.messages.get("a")
    assert kept is not None
    store.messages.begin("a", now)
    store.messages.shown("a", "1.2", kept.digest)
    assert store.messages.due(now) == ()
    store.messages.want(wish("a", "two"), now)
    (due,) = store.messages.due(now)
    assert due.is_shown
    assert store.messages.counts() == {"shown": 1, "behind": 1}


def test_a_reply_waits_for_its_thread_and_goes_with_it(store: Store, now: datetime) -> None:
    store.messages.want(wish("card/details", parent="card"), now)
    assert store.messages.due(now) == ()
    store.messages.want(wish("card"), now)
    assert [each.key for each in store.messages.due(now)] == ["card"]
    store.messages.shown("card", "1.2", "old")
    assert [each.key for each in store.messages.due(now)] == ["card", "card/details"]
    reply = store.messages.get("card/details")
    assert reply is not None
    assert (reply.thread, reply.thread_given) == ("1.2", None)
    store.messages.lose("card", "deleted")
    assert store.messages.due(now) == ()


def test_what_is_put_off_comes_back(store: Store, now: datetime) -> None:
    store.messages.want(wish("a"), now)
    store.messages.begin("a", now)
    store.messages.put_off("a", now + SECOND, "busy", is_sent=True)
    assert store.messages.due(now) == ()
    assert len(store.messages.due(now + SECOND)) == 1
    kept = store.messages.get("a")
    assert kept is not None
    assert kept.state is Delivery.BEGUN
    store.messages.put_off("a", now + SECOND, "refused")
    again = store.messages.get("a")
    assert again is not None
    assert (again.state, again.attempts) == (Delivery.WAITING, 2)


def test_an_incident_is_found_by_where_it_is_shown(store: Store, now: datetime) -> None:
    store.messages.want(wish("a", incident_id="i1"), now)
    store.messages.want(wish("b", incident_id="i2", thread="9.9"), now)
    store.messages.shown("a", "1.2", "x")
    found = store.messages.at("C1", "1.2")
    assert found is not None
    assert found.incident_id == "i1"
    assert store.messages.incident_of_thread("C1", "9.9") == "i2"
    assert store.messages.incident_of_thread("C2", "9.9") is None
    assert store.messages.incidents_in("C1", 10) == ("i2", "i1")


def test_a_request_is_kept_once_accepted_and_finished(store: Store, now: datetime) -> None:
    request = Request(key="event/1", kind="mention", channel="C1", content={"text": "why?\x00\ud800"})
    assert store.requests.keep(request, now)
    assert not store.requests.keep(request, now)
    (kept,) = store.requests.unaccepted()
    assert kept.received_at == now
    store.requests.accept("event/1", now, "i1")
    assert store.requests.unaccepted() == ()
    (open_one,) = store.requests.unfinished()
    assert open_one.incident_id == "i1"
    assert store.requests.channels_of("i1") == {"C1"}
    store.requests.finish("event/1", now)
    assert store.requests.unfinished() == ()


def test_a_silence_holds_in_its_channel_until_it_ends(store: Store, now: datetime) -> None:
    silence = Silence(channel="C1", subject="x", until=now + SECOND, by="ada", why="known", at=now)
    store.requests.silence(silence)
    store.requests.silence(silence)
    assert store.requests.silences("C1", now) == (silence,)
    assert store.requests.silences("C2", now) == ()
    assert store.requests.silences("C1", now + SECOND) == ()


def test_a_message_that_is_being_posted_may_be_seen_before_its_place_is_kept(
    store: Store, now: datetime
) -> None:
    store.messages.want(wish("reply", thread="9.9"), now)
    store.messages.begin("reply", now)
    store.messages.want(wish("card"), now)
    assert not store.messages.may_have_begun("C1")
    store.messages.begin("card", now)
    assert store.messages.may_have_begun("C1")
    assert not store.messages.may_have_begun("C2")
    store.messages.put_off("card", now + SECOND, "no answer", is_sent=True)
    assert store.messages.may_have_begun("C1")
    store.messages.shown("card", "1.2", "digest")
    assert not store.messages.may_have_begun("C1")
