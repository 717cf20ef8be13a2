"""A recording as a `Source`: asked like a live one, answers from its files."""

from dataclasses import dataclass
from datetime import datetime

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Coverage, Document, Gap
from firstfault.tools.recording.manifest import Manifest
from firstfault.tools.recording.replay import as_seen_at
from firstfault.tools.sources import Answer, Question
from firstfault.tools.times import Window


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Everything that was recorded of one incident.

    documents are in the order of the manifest (or of their paths). problems are the gaps that opening found.
    """

    manifest: Manifest
    documents: tuple[Document, ...]
    coverage: tuple[Coverage, ...] = ()
    problems: tuple[Gap, ...] = ()

    @property
    def name(self) -> str:
        """Return the stable name shown in reports and audit."""
        return f"recording:{self.manifest.id}"

    @property
    def context(self) -> ReadContext:
        """Return the frame in which the documents are read."""
        manifest = self.manifest
        return ReadContext(
            opened_at=manifest.opened_at, zone=manifest.timezone, as_of=manifest.as_of, year=manifest.year
        )

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return the documents that `question` asks for; lines later than `as_of` are blanked, their numbers stay.

        Documents are returned whole whatever the window is: a recording was cut to its incident when it was made,
        and the lines carry their own times.
        """
        del window
        wanted = [document for document in self.documents if _matches(document, question)]
        context = self.context
        seen = [
            each for each in (as_seen_at(document, as_of, context) for document in wanted) if each is not None
        ]
        left_out = {document.path for document in self.documents} - {document.path for document in seen}
        coverage = tuple(
            entry
            for entry in self.coverage
            if entry.path not in left_out and _kind_matches(entry.kind, question)
        )
        gaps = tuple(gap for gap in self.problems if gap.kind is None or _kind_matches(gap.kind, question))
        return Answer(documents=tuple(seen), coverage=coverage, gaps=gaps)


def _kind_matches(kind: object, question: Question) -> bool:
    return not question.kinds or kind in question.kinds


def _matches(document: Document, question: Question) -> bool:
    if not _kind_matches(document.kind, question):
        return False
    if question.entities and document.entity is not None:
        keys = {entity.key for entity in question.entities}
        names = {entity.name for entity in question.entities}
        if document.entity.key not in keys and not names & set(document.labels.values()):
            return False
    return question.contains is None or question.contains in document.text
