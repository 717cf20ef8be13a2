"""Past incidents in the database: found by what they share, weighed by how rare that is, then by words.

Implements `firstfault.tools.past_incidents.IncidentIndex`.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from firstfault.agent.store.canon import storable
from firstfault.agent.store.database import Database
from firstfault.agent.store.memory_tables import MemoryFeatureRow, MemoryRow
from firstfault.tools.past_incidents import Outcome, PastIncident, Probe, Resemblance

_WORD = re.compile(r"[^\W_]+")
MAX_WORDS = 64
"""Words of a question that are looked for."""

MAX_FEATURES = 500
"""Features of one probe that are looked for; every database takes that many values at once."""

MAX_CANDIDATES = 200
"""Past incidents that are compared in full."""

_MATCHES = {
    "sqlite": (
        "SELECT memories.id FROM memory_words JOIN memories ON memories.rowid = memory_words.rowid "
        "WHERE memory_words MATCH :query ORDER BY bm25(memory_words), memories.id LIMIT :limit"
    ),
    "postgresql": (
        "SELECT id FROM memories WHERE to_tsvector('simple', words) @@ to_tsquery('simple', :query) "
        "ORDER BY ts_rank(to_tsvector('simple', words), to_tsquery('simple', :query)) DESC, id LIMIT :limit"
    ),
}
_OR = {"sqlite": " OR ", "postgresql": " | "}


@dataclass(frozen=True, slots=True)
class Memories:
    """Keeps and finds past incidents."""

    database: Database

    def put(self, past: PastIncident) -> None:
        """Keep `past`; what was kept under its id before is replaced."""
        row = MemoryRow(
            id=past.id,
            summary=past.summary,
            resolution=past.resolution,
            outcome=past.outcome.value,
            author=past.author,
            at=past.at,
            content=past.content,
            words=" ".join(_words((past.id, past.summary, past.resolution, *sorted(past.features)))),
        )
        with self.database.writing() as session:
            session.merge(row)
            session.flush()
            session.execute(delete(MemoryFeatureRow).where(MemoryFeatureRow.memory_id == storable(past.id)))
            features = {storable(feature) for feature in past.features}
            session.add_all(MemoryFeatureRow(memory_id=past.id, feature=each) for each in sorted(features))

    def get(self, incident_id: str) -> PastIncident | None:
        """Return the past incident under this id, or None."""
        with self.database.reading() as session:
            return next(iter(_load(session, [storable(incident_id)])), None)

    def similar(self, probe: Probe, *, limit: int) -> tuple[Resemblance, ...]:
        """Return past incidents that share a feature with the probe, the most alike first.

        Alike: the weight of shared features by the weight of all, a feature weighing more the fewer incidents have it.
        At equal weight, words decide, then the newer incident.
        """
        probe = replace(probe, features=frozenset(storable(feature) for feature in probe.features))
        with self.database.reading() as session:
            candidates = [
                past for past in _load(session, _nearest(session, probe)) if not _is_excluded(past, probe)
            ]
            weights = _weights(session, probe.features.union(*(past.features for past in candidates)))
            by_words = self._matching(session, probe.text, limit=MAX_CANDIDATES)
        places = {incident_id: place for place, incident_id in enumerate(by_words)}
        found = [_resemblance(past, probe, weights) for past in candidates]
        found.sort(
            key=lambda each: (
                -round(each.score, 3),
                places.get(each.past.id, len(places)),
                -each.past.at.timestamp(),
                each.past.id,
            )
        )
        return tuple(found[:limit])

    def search(self, words: str, *, limit: int) -> tuple[PastIncident, ...]:
        """Return past incidents that hold words of `words`, the best match first."""
        with self.database.reading() as session:
            ids = self._matching(session, words, limit=limit)
            found = {past.id: past for past in _load(session, ids)}
        return tuple(found[incident_id] for incident_id in ids)

    def recent(self, *, limit: int) -> tuple[PastIncident, ...]:
        """Return past incidents, the newest first."""
        query = select(MemoryRow.id).order_by(MemoryRow.at.desc(), MemoryRow.id).limit(limit)
        with self.database.reading() as session:
            ids = session.scalars(query).all()
            found = {past.id: past for past in _load(session, ids)}
        return tuple(found[incident_id] for incident_id in ids)

    def _matching(self, session: Session, words: str, *, limit: int) -> list[str]:
        dialect = self.database.engine.dialect.name
        quoted = [
            f'"{word}"' if dialect == "sqlite" else f"'{word}'" for word in _words((words,))[:MAX_WORDS]
        ]
        if not quoted:
            return []
        found = session.scalars(text(_MATCHES[dialect]), {"query": _OR[dialect].join(quoted), "limit": limit})
        return [str(incident_id) for incident_id in found]


def _nearest(session: Session, probe: Probe) -> list[str]:
    """Return the ids of those that share the most weight with the probe, at most `MAX_CANDIDATES`."""
    weights = _weights(session, probe.features)
    sharing = select(MemoryFeatureRow.memory_id, MemoryFeatureRow.feature).where(
        MemoryFeatureRow.feature.in_(sorted(probe.features)[:MAX_FEATURES])
    )
    shared: dict[str, float] = {}
    for row in session.execute(sharing):
        shared[row.memory_id] = shared.get(row.memory_id, 0.0) + weights[row.feature]
    return sorted(shared, key=lambda incident_id: (-round(shared[incident_id], 6), incident_id))[
        :MAX_CANDIDATES
    ]


def _load(session: Session, ids: Sequence[str]) -> list[PastIncident]:
    rows = session.scalars(select(MemoryRow).where(MemoryRow.id.in_(ids)).order_by(MemoryRow.id)).all()
    features: dict[str, set[str]] = {row.id: set() for row in rows}
    for row in session.scalars(select(MemoryFeatureRow).where(MemoryFeatureRow.memory_id.in_(ids))):
        features[row.memory_id].add(row.feature)
    return [_past(row, features[row.id]) for row in rows]


def _weights(session: Session, features: Iterable[str]) -> Mapping[str, float]:
    """Return how telling each feature is: the logarithm of all incidents by those that have it."""
    total = session.scalar(select(func.count()).select_from(MemoryRow)) or 0
    counting = select(MemoryFeatureRow.feature, func.count().label("incidents")).group_by(
        MemoryFeatureRow.feature
    )
    counts = {row.feature: row.incidents for row in session.execute(counting)}
    return {feature: math.log1p((total + 1) / (counts.get(feature, 0) + 1)) for feature in features}


def _resemblance(past: PastIncident, probe: Probe, weights: Mapping[str, float]) -> Resemblance:
    def rarest_first(features: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(features, key=lambda feature: (-weights[feature], feature)))

    shared, all_features = past.features & probe.features, past.features | probe.features
    return Resemblance(
        past=past,
        shared=rarest_first(shared),
        only_then=rarest_first(past.features - shared),
        only_now=rarest_first(probe.features - shared),
        score=sum(weights[each] for each in sorted(shared))
        / sum(weights[each] for each in sorted(all_features)),
    )


def _is_excluded(past: PastIncident, probe: Probe) -> bool:
    return past.id == probe.exclude_id or (past.content is not None and past.content == probe.exclude_content)


def _words(texts: Iterable[str]) -> list[str]:
    """Return the words of `texts`, each once, in order."""
    return list(dict.fromkeys(word for each in texts for word in _WORD.findall(storable(each).lower())))


def _past(row: MemoryRow, features: Iterable[str]) -> PastIncident:
    return PastIncident(
        id=row.id,
        summary=row.summary,
        features=frozenset(features),
        resolution=row.resolution,
        outcome=Outcome(row.outcome),
        author=row.author,
        at=row.at,
        content=row.content,
    )
