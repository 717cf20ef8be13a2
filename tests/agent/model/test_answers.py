import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.model.answers import reply_of
from firstfault.agent.model.port import ModelError, ModelRefused, ModelUnreadable


def body(content: object = "hello", *, finish: str = "stop", usage: object = None) -> bytes:
    return json.dumps(
        {"choices": [{"message": {"content": content}, "finish_reason": finish}], "usage": usage}
    ).encode()


def test_text_usage_and_truncation_are_read() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
    reply = reply_of(body(finish="length", usage=usage))
    assert (reply.text, reply.truncated) == ("hello", True)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cached_tokens) == (7, 3, 4)


@pytest.mark.parametrize(
    "usage", [None, 7, [], {"prompt_tokens": -1}, {"prompt_tokens": "x", "prompt_tokens_details": []}]
)
def test_usage_that_makes_no_sense_is_unknown(usage: object) -> None:
    assert reply_of(body(usage=usage)).usage.prompt_tokens is None


def test_content_that_was_filtered_is_a_refusal() -> None:
    with pytest.raises(ModelRefused):
        reply_of(body("{", finish="content_filter"))


@pytest.mark.parametrize("content", ["", "  \n", None, "x" * 70_000])
def test_no_text_or_too_much_is_unreadable(content: object) -> None:
    with pytest.raises(ModelUnreadable):
        reply_of(body(content))


@given(
    st.binary(max_size=200) | st.recursive(st.none() | st.text(), st.lists).map(json.dumps).map(str.encode)
)
def test_any_bytes_give_a_reply_or_a_model_error(data: bytes) -> None:
    try:
        reply = reply_of(data)
    except ModelError:
        return
    assert reply.text


def test_lone_surrogates_cannot_come_through() -> None:
    raw = b'{"choices": [{"message": {"content": "a \\ud83d b"}}]}'
    try:
        reply_of(raw).text.encode()
    except ModelUnreadable:
        return
