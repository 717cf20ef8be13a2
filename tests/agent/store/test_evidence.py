"""What was seen comes back exactly, from the store alone."""

from datetime import datetime, timedelta

from firstfault.agent.store import Store
from firstfault.agent.store.chunks import CHUNK_BYTES
from firstfault.agent.store.evidence import BATCH
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Question
from firstfault.tools.times import Window
from tests.agent.store.samples import answer, document, incident


def described(each: Document) -> tuple[object, ...]:
    """Return everything of a document that can be compared."""
    with each.body.open() as stream:
        data = stream.read()
    fields = (each.path, each.kind, each.source, each.query, each.complete, each.entity, dict(each.labels))
    return (
        *fields,
        each.window,
        each.link,
        each.fetched_at,
        each.note,
        data,
        each.body.sha256,
        each.body.size,
    )


def test_an_answer_comes_back_exactly(store: Store, now: datetime) -> None:
    store.incidents.open(incident(), now)
    given = answer()
    kept = store.evidence.keep("inc-1", given, now)
    back = store.evidence.answer("inc-1")
    expected = [described(each) for each in given.documents]
    assert [described(each) for each in kept] == expected
    assert [described(each) for each in back.documents] == expected
    assert (back.coverage, back.gaps) == (given.coverage, given.gaps)


def test_keeping_twice_adds_nothing(store: Store, now: datetime) -> None:
    store.incidents.open(incident(), now)
    for _ in range(2):
        store.evidence.keep("inc-1", answer(), now)
    back = store.evidence.answer("inc-1")
    assert (len(back.documents), len(back.coverage), len(back.gaps)) == (2, 1, 1)


def test_another_content_at_the_same_path_is_another_document(store: Store, now: datetime) -> None:
    store.incidents.open(incident(), now)
    store.evidence.put("inc-1", document(data=b"first\n"), now)
    store.evidence.put("inc-1", document(data=b"second\n"), now)
    assert [each.lines for each in store.evidence.documents("inc-1")] == [["first"], ["second"]]


def test_incidents_share_bytes_and_nothing_else(store: Store, now: datetime) -> None:
    for name in ("inc-1", "inc-2"):
        store.incidents.open(incident(name), now)
        store.evidence.put(name, document(), now)
    assert len(store.evidence.documents("inc-1")) == len(store.evidence.documents("inc-2")) == 1
    assert store.evidence.documents("inc-3") == ()


def test_citations_from_the_store_are_those_of_the_source(store: Store, now: datetime) -> None:
    store.incidents.open(incident(), now)
    given = document(data=b"line\r\nXid 79 \x1b[31mred\x1b[0m\x00\n")
    store.evidence.put("inc-1", given, now)
    (back,) = store.evidence.documents("inc-1")
    assert [back.cite(1), back.cite(2, excerpt="Xid 79")] == [given.cite(1), given.cite(2, excerpt="Xid 79")]


def test_hostile_paths_do_not_break_the_store(store: Store, now: datetime) -> None:
    store.incidents.open(incident(), now)
    store.evidence.put("inc-1", document("raw/\x00\ud800'; DROP TABLE documents; --"), now)
    (back,) = store.evidence.documents("inc-1")
    assert back.path == "raw/\\x00\\ud800'; DROP TABLE documents; --"


def test_the_store_answers_like_the_source(store: Store, now: datetime) -> None:
    store.incidents.open(incident(), now)
    given = answer()
    store.evidence.keep("inc-1", given, now)
    source = store.source("inc-1")
    assert source.name == "store"
    everything = source.read(Question(), Window(), None)
    assert [each.path for each in everything.documents] == [each.path for each in given.documents]
    assert source.read(Question(kinds=(Kind.IBSTAT,)), Window(), None).documents == ()
    assert source.read(Question(kinds=(Kind.KERNEL_LOG,)), Window(), None).documents
    assert source.read(Question(), Window(), now - timedelta(days=1)).documents == ()


def test_thousands_of_small_documents_are_stored_in_order_with_large_ones_among_them(
    store: Store, now: datetime
) -> None:
    store.incidents.open(incident("inc-1"), now)
    large = b"x" * (CHUNK_BYTES + 1)
    given = [
        document(f"raw/{number}.log", large if number == BATCH + 3 else f"{number % 7}\n".encode())
        for number in range(2 * BATCH + 5)
    ]
    kept = store.evidence.put_all("inc-1", given, now)
    assert [described(each) for each in kept] == [described(each) for each in given]
    stored = store.evidence.documents("inc-1")
    assert [described(each) for each in stored] == [described(each) for each in given]
    store.evidence.put_all("inc-1", given, now)
    assert len(store.evidence.documents("inc-1")) == len(given)
