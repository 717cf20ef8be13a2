"""Laws of the audit chain: whatever is edited, dropped, swapped or cut off is found; nothing else is."""

from dataclasses import fields, replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.store.canon import canonical, storable
from firstfault.agent.store.chain import (
    GENESIS,
    AuditEvent,
    Head,
    NewEvent,
    drafted,
    event_digest,
    sign_head,
    walk,
)
from firstfault.agent.store.signing import SigningKey

KEY = SigningKey(secret=b"k" * 32)
FORGER = SigningKey(secret=b"f" * 32)

any_text = st.text(st.characters(exclude_categories=()), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
new_events = st.builds(
    NewEvent,
    correlation_id=any_text,
    kind=any_text,
    key=any_text,
    at=st.datetimes(timezones=st.just(UTC), min_value=datetime(1970, 1, 1)),  # noqa: DTZ001 - hypothesis wants it bare
    actor=any_text,
    subject=any_text,
    why=any_text,
    payload=st.dictionaries(any_text, json_values, max_size=3),
    causation_id=st.none() | any_text,
)


def chained(events: list[NewEvent]) -> tuple[list[AuditEvent], Head]:
    """Return the chain of `events` and its signed head."""
    chain: list[AuditEvent] = []
    for event in events:
        chain.append(drafted(event, len(chain) + 1, chain[-1].digest if chain else GENESIS))
    return chain, sign_head(KEY, len(chain), chain[-1].digest if chain else GENESIS)


chains = st.lists(new_events, min_size=1, max_size=6).map(chained)


@given(st.lists(new_events, max_size=6).map(chained))
def test_an_untouched_chain_is_sound(chain: tuple[list[AuditEvent], Head]) -> None:
    events, head = chain
    check = walk(events, head, KEY)
    assert check.sound
    assert (check.events, check.head_digest) == (len(events), head.digest)


@given(chains, st.data())
def test_any_edit_of_any_field_is_found(chain: tuple[list[AuditEvent], Head], data: st.DataObject) -> None:
    events, head = chain
    at = data.draw(st.integers(0, len(events) - 1))
    name = data.draw(st.sampled_from([field.name for field in fields(AuditEvent)]))
    old = getattr(events[at], name)
    new = data.draw((st.integers() if name == "seq" else any_text).filter(lambda value: value != old))
    events[at] = replace(events[at], **{name: new})
    assert not walk(events, head, KEY).sound


@given(chains, st.data())
def test_any_dropped_events_are_found(chain: tuple[list[AuditEvent], Head], data: st.DataObject) -> None:
    events, head = chain
    kept = data.draw(
        st.lists(st.booleans(), min_size=len(events), max_size=len(events)).filter(lambda k: not all(k))
    )
    left = [event for event, keep in zip(events, kept, strict=True) if keep]
    assert not walk(left, head, KEY).sound


@given(chains.filter(lambda chain: len(chain[0]) > 1), st.data())
def test_any_other_order_is_found_even_when_renumbered(
    chain: tuple[list[AuditEvent], Head], data: st.DataObject
) -> None:
    events, head = chain
    shuffled = data.draw(st.permutations(events).filter(lambda order: list(order) != events))
    assert not walk(shuffled, head, KEY).sound
    renumbered = [replace(event, seq=seq) for seq, event in enumerate(shuffled, start=1)]
    assert not walk(renumbered, head, KEY).sound


@given(chains, st.data(), new_events)
def test_a_chain_rebuilt_without_the_key_is_found(
    chain: tuple[list[AuditEvent], Head], data: st.DataObject, forged: NewEvent
) -> None:
    events, head = chain
    cut = data.draw(st.integers(0, len(events) - 1))
    rebuilt = events[:cut]
    rebuilt.append(drafted(forged, cut + 1, rebuilt[-1].digest if rebuilt else GENESIS))
    for event in events[cut + 1 :]:
        linked = replace(event, prev_digest=rebuilt[-1].digest)
        rebuilt.append(replace(linked, digest=event_digest(linked)))
    own = sign_head(FORGER, len(rebuilt), rebuilt[-1].digest)
    if rebuilt[cut] == events[cut]:
        return
    assert not walk(rebuilt, head, KEY).sound
    assert not walk(rebuilt, own, KEY).sound
    assert not walk(rebuilt, replace(own, key_id=KEY.id), KEY).sound
    assert not walk(rebuilt, replace(own, key_id=KEY.id, signature=head.signature), KEY).sound


@given(chains, st.data())
def test_an_inserted_or_repeated_event_is_found(
    chain: tuple[list[AuditEvent], Head], data: st.DataObject
) -> None:
    events, head = chain
    at = data.draw(st.integers(0, len(events)))
    events.insert(at, data.draw(st.sampled_from(events)))
    assert not walk(events, head, KEY).sound


@given(json_values)
def test_canonical_json_is_plain_ascii_and_does_not_depend_on_order(value: object) -> None:
    text = canonical({"b": value, "a": 1})
    assert text == canonical({"a": 1, "b": value})
    assert text.isascii()
    assert "\x00" not in text


@given(any_text)
def test_storable_text_is_valid_and_stays_as_it_is(text: str) -> None:
    once = storable(text)
    assert storable(once) == once
    assert "\x00" not in once
    once.encode("utf-8")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_cannot_hold_become_their_names(value: float) -> None:
    assert canonical(value) == f'"{value}"'
