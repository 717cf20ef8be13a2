"""Which incident a question is about, also in the moment in which its message is posted."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firstfault.agent.slack.blocks.names import Ask
from firstfault.agent.slack.work.inquiry import Inquiries
from firstfault.agent.store import Store, open_store
from firstfault.agent.store.messages import Wish
from firstfault.agent.store.requests import Request

NOW = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)


@pytest.fixture(name="store")
def kept(tmp_path: Path) -> Generator[Store]:
    with open_store(tmp_path) as store:
        yield store


def asked(**content: str) -> Request:
    return Request(key="q1", kind=Ask.MENTION, channel="C1", content=content, received_at=NOW)


def test_a_question_in_a_thread_waits_until_the_place_of_its_first_message_is_known(store: Store) -> None:
    inquiries = Inquiries(store=store, conversation=None, visible=lambda _one, _other: True)
    question = asked(text="why?", thread="1.2")
    assert not inquiries.is_early(question)
    store.messages.want(
        Wish(key="card", kind="card", channel="C1", content={"text": "one"}, incident_id="inc-1"), NOW
    )
    store.messages.begin("card", NOW)
    assert inquiries.is_early(question)
    assert not inquiries.is_early(asked(text="why?"))
    assert not inquiries.is_early(asked(text="why?", thread="1.2", incident="inc-7"))
    store.messages.shown("card", "1.2", "digest")
    assert not inquiries.is_early(question)
    assert inquiries.incident_of(question) == "inc-1"
