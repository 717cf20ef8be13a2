"""What was seen for an incident, preserved whole: its documents, what was looked at, and what was not had.

The store can answer like the source it was filled from (`StoredSource`), so a report can be made again after the node
and the source's retention are gone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from firstfault.agent.store.blobs import Blobs, StoredBody
from firstfault.agent.store.canon import digest as digest_of
from firstfault.agent.store.canon import storable
from firstfault.agent.store.chunks import CHUNK_BYTES
from firstfault.agent.store.database import Database
from firstfault.agent.store.rows import insert_many_new, insert_new, required_incident
from firstfault.agent.store.shapes import Described, described, document, from_text, to_text
from firstfault.agent.store.tables import BlobRow, DocumentRow, LookedAtRow
from firstfault.tools.evidence import Coverage, Document, Gap
from firstfault.tools.sources import Answer, Question
from firstfault.tools.times import Window

_EVIDENCE_LOCK = 0x66_66_03
BATCH, BATCH_BYTES = 256, 8 << 20
"""How many small documents, and about how many bytes of them, one transaction stores: no writer waits long for it."""


@dataclass(frozen=True, slots=True)
class EvidenceStore:
    """Keeps and gives back answers of sources, by incident."""

    database: Database
    blobs: Blobs

    def keep(self, incident_id: str, answer: Answer, now: datetime) -> tuple[Document, ...]:
        """Return the documents of `answer`, stored, with bodies that live in the store; keeping twice adds nothing."""
        kept = tuple(self.put(incident_id, each, now) for each in answer.documents)
        with self.database.writing() as session:
            required_incident(session, incident_id)
            self.database.take_turn(session, _EVIDENCE_LOCK)
            self._look(session, incident_id, "coverage", [to_text(each) for each in answer.coverage])
            self._look(session, incident_id, "gap", [to_text(each) for each in answer.gaps])
        return kept

    def put(self, incident_id: str, given: Document, now: datetime) -> Document:
        """Return `given` as stored: its bytes first, then its place in the incident."""
        return self.put_all(incident_id, (given,), now)[0]

    def put_all(self, incident_id: str, given: Iterable[Document], now: datetime) -> tuple[Document, ...]:
        """Return the documents as stored, in order: their bytes first, then their places in the incident.

        Small ones are stored many at a time: a transaction each would cost more than everything else that is done to them.
        """
        return tuple(each for batch in _batches(given) for each in self._put(incident_id, batch, now))

    def _put(self, incident_id: str, given: Sequence[Document], now: datetime) -> list[Document]:
        if _is_small(given[0]):
            held: Sequence[bytes | None] = self.blobs.put_small([each.body for each in given], now)
        else:
            held = (None,)
            self.blobs.put_body(given[0].body, now)
        notes = [described(each) for each in given]
        with self.database.writing() as session:
            required_incident(session, incident_id)
            self.database.take_turn(session, _EVIDENCE_LOCK)
            last = select(func.max(DocumentRow.position)).where(DocumentRow.incident_id == incident_id)
            first = (session.scalar(last) or 0) + 1
            rows = [
                {
                    "incident_id": incident_id,
                    "path": each.path,
                    "kind": each.kind.value,
                    "source": each.source,
                    "sha256": each.body.sha256,
                    "description": to_text(note),
                    "stored_at": now,
                    "position": position,
                }
                for position, (each, note) in enumerate(zip(given, notes, strict=True), start=first)
            ]
            insert_many_new(session, DocumentRow, rows)
        return [
            document(note, StoredBody(self.blobs, each.body.sha256, each.body.size, data))
            for note, each, data in zip(notes, given, held, strict=True)
        ]

    def documents(self, incident_id: str) -> tuple[Document, ...]:
        """Return the incident's documents in the order they were first stored."""
        query = (
            select(DocumentRow.description, DocumentRow.sha256, BlobRow.size)
            .outerjoin(BlobRow, BlobRow.sha256 == DocumentRow.sha256)
            .where(DocumentRow.incident_id == incident_id)
            .order_by(DocumentRow.position)
        )
        with self.database.reading() as session:
            return tuple(
                document(from_text(Described, text), StoredBody(self.blobs, sha256, size or 0))
                for text, sha256, size in session.execute(query)
            )

    def content(self, incident_id: str) -> str | None:
        """Return a digest of everything kept for the incident: the same files give the same; None when nothing is."""
        query = select(DocumentRow.sha256).where(DocumentRow.incident_id == incident_id).distinct()
        with self.database.reading() as session:
            names = sorted(session.scalars(query))
        return digest_of(names) if names else None

    def answer(self, incident_id: str) -> Answer:
        """Return everything kept for the incident."""
        return Answer(
            documents=self.documents(incident_id),
            coverage=tuple(from_text(Coverage, text) for text in self._looked(incident_id, "coverage")),
            gaps=tuple(from_text(Gap, text) for text in self._looked(incident_id, "gap")),
        )

    @staticmethod
    def _look(session: Session, incident_id: str, what: str, texts: Sequence[str]) -> None:
        last = select(func.max(LookedAtRow.position)).where(LookedAtRow.incident_id == incident_id)
        position = session.scalar(last) or 0
        for text in texts:
            position += 1
            row = {"digest": digest_of([what, text]), "position": position, "what": what, "content": text}
            insert_new(session, LookedAtRow, {"incident_id": incident_id, **row})

    def _looked(self, incident_id: str, what: str) -> tuple[str, ...]:
        query = (
            select(LookedAtRow.content)
            .where(LookedAtRow.incident_id == storable(incident_id), LookedAtRow.what == what)
            .order_by(LookedAtRow.position)
        )
        with self.database.reading() as session:
            return tuple(session.scalars(query))


def _is_small(each: Document) -> bool:
    return each.body.size <= CHUNK_BYTES


def _batches(given: Iterable[Document]) -> Iterator[list[Document]]:
    """Yield runs of small documents, and each large one by itself."""
    batch: list[Document] = []
    size = 0
    for each in given:
        if batch and (not _is_small(each) or len(batch) >= BATCH or size >= BATCH_BYTES):
            yield batch
            batch, size = [], 0
        if not _is_small(each):
            yield [each]
            continue
        batch.append(each)
        size += each.body.size
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class StoredSource:
    """What was kept for one incident, as a source like any other."""

    store: EvidenceStore
    incident_id: str

    @property
    def name(self) -> str:
        """Return the name shown in reports and audit."""
        return "store"

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return what was kept, narrowed to the wanted kinds and to what was fetched by `as_of`."""
        del window
        whole = self.store.answer(self.incident_id)
        documents = (each for each in whole.documents if as_of is None or not _later(each, as_of))
        return Answer(documents=tuple(_wanted(question, documents)), coverage=whole.coverage, gaps=whole.gaps)


def _later(each: Document, as_of: datetime) -> bool:
    return each.fetched_at is not None and each.fetched_at > as_of


def _wanted(question: Question, documents: Iterable[Document]) -> Iterable[Document]:
    return (each for each in documents if not question.kinds or each.kind in question.kinds)
