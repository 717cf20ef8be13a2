"""Past incidents are found by what they share, the rarest first, then by words; a past conclusion proves nothing."""

from dataclasses import replace
from datetime import timedelta

import pytest

from firstfault.agent.store import Store
from firstfault.tools.past_incidents import Outcome, PastIncident, Probe
from tests.agent.store.samples import AT, HOSTILE, answer, incident


def past(name: str, *features: str, summary: str = "", content: str | None = None) -> PastIncident:
    """Return a past incident."""
    return PastIncident(
        id=name,
        summary=summary,
        features=frozenset(features),
        resolution="cable reseated",
        outcome=Outcome.WORKED,
        author="jo",
        at=AT,
        content=content,
    )


@pytest.fixture
def filled(store: Store) -> Store:
    """Return a store with a rare incident and many common ones."""
    store.memories.put(
        past("rare", "signal:xid.79", "signal:xid.45", "class:gpu.fell_off_bus", summary="GPU lost")
    )
    store.memories.put(
        past("odd", "signal:ib.symbol_errors", "signal:xid.45", summary="link errors on leaf 7")
    )
    for n in range(10):
        store.memories.put(past(f"common-{n}", "signal:xid.45", "class:application.illegal_access"))
    return store


def found(store: Store, *features: str, **rest: str) -> list[str]:
    """Return the ids of what resembles these features."""
    return [
        each.past.id for each in store.memories.similar(Probe(features=frozenset(features), **rest), limit=5)
    ]


def test_an_incident_comes_back_exactly(store: Store) -> None:
    given = past("inc-1", "signal:xid.79", "culprit:gpu", summary="one", content="abc")
    store.memories.put(given)
    assert store.memories.get("inc-1") == given
    assert store.memories.get("nobody") is None


def test_what_is_said_later_replaces_what_was_said(store: Store) -> None:
    store.memories.put(past("inc-1", "signal:xid.79", "class:gpu.power", summary="the power supply"))
    better = replace(past("inc-1", "signal:xid.79", summary="a riser"), outcome=Outcome.DID_NOT_WORK)
    store.memories.put(better)
    assert store.memories.get("inc-1") == better
    assert store.memories.search("power supply", limit=5) == ()
    assert store.memories.search("riser", limit=5) == (better,)


def test_a_rare_shared_signal_counts_more_than_a_common_one(filled: Store) -> None:
    assert found(filled, "signal:xid.79", "signal:xid.45")[0] == "rare"
    assert found(filled, "signal:ib.symbol_errors")[:1] == ["odd"]
    assert found(filled, "signal:never.seen") == []


def test_what_is_shared_and_what_differs_is_shown_rarest_first(filled: Store) -> None:
    probe = Probe(features=frozenset({"signal:xid.45", "signal:xid.79", "signal:new"}))
    (best, *_) = filled.memories.similar(probe, limit=3)
    assert best.shared == ("signal:xid.79", "signal:xid.45")
    assert best.only_then == ("class:gpu.fell_off_bus",)
    assert best.only_now == ("signal:new",)
    assert 0 < best.score < 1


def test_words_break_a_tie(store: Store) -> None:
    store.memories.put(past("a", "signal:x", summary="switch firmware"))
    store.memories.put(past("b", "signal:x", summary="cable on leaf 7"))
    assert found(store, "signal:x", text="bad leaf?") == ["b", "a"]
    assert found(store, "signal:x", text="firmware of a switch") == ["a", "b"]


def test_at_a_tie_without_words_the_newer_comes_first(store: Store) -> None:
    store.memories.put(past("old", "signal:x"))
    store.memories.put(replace(past("young", "signal:x"), at=AT + timedelta(days=1)))
    assert found(store, "signal:x") == ["young", "old"]
    assert [each.id for each in store.memories.recent(limit=5)] == ["young", "old"]


def test_an_incident_never_resembles_itself_nor_another_run_on_the_same_files(store: Store) -> None:
    store.memories.put(past("same-id", "signal:x"))
    store.memories.put(past("same-files", "signal:x", content="abc"))
    store.memories.put(past("other", "signal:x", content="def"))
    assert found(store, "signal:x", exclude_id="same-id", exclude_content="abc") == ["other"]


def test_the_content_of_an_incident_does_not_depend_on_its_name_or_order(store: Store) -> None:
    for name in ("inc-1", "inc-2"):
        store.incidents.open(incident(name), AT)
    assert store.evidence.content("inc-1") is None
    store.evidence.keep("inc-1", answer(), AT)
    for each in reversed(answer().documents):
        store.evidence.put("inc-2", each, AT)
    assert store.evidence.content("inc-1") == store.evidence.content("inc-2")


@pytest.mark.parametrize(
    "words",
    [
        "",
        "   ",
        '"',
        "'",
        "a AND",
        "NOT",
        "NEAR(",
        "* : ^ -",
        "xid.79",
        "' OR 1=1 --",
        "& | ! <->",
        HOSTILE,
        "a " * 9_999,
    ],
)
def test_any_text_can_be_searched_for(filled: Store, words: str) -> None:
    filled.memories.put(past("hostile", HOSTILE, summary=HOSTILE))
    assert isinstance(filled.memories.search(words, limit=5), tuple)
    assert isinstance(filled.memories.similar(Probe(features=frozenset({words}), text=words), limit=5), tuple)


def test_names_of_signals_are_found_as_words(filled: Store) -> None:
    assert [each.id for each in filled.memories.search("XID.79", limit=1)] == ["rare"]
    assert [each.id for each in filled.memories.search("fell_off_bus", limit=1)] == ["rare"]
