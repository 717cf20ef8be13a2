"""What every source must hold to, recorded or live. A source joins with a subclass that gives the `subject` fixture."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from firstfault.tools.context import ReadContext
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import CoverageState, Document
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Answer, Question, Source
from firstfault.tools.stamps import stamper
from firstfault.tools.times import Window

OPEN = Window()
NOBODY = EntityRef(kind=EntityKind.POD, name="no-such-pod", namespace="no-such-namespace")
QUESTIONS = (
    Question(),
    Question(volatile_first=True),
    Question(entities=(NOBODY,)),
    Question(contains="no line holds this"),
    Question(contains="\x00\u2028\ud7ff"),
    *(Question(kinds=(kind,)) for kind in Kind),
)
WINDOWS = (
    OPEN,
    Window(start=datetime(2026, 1, 1, tzinfo=UTC), end=datetime(2026, 1, 2, tzinfo=UTC)),
    Window(start=datetime(2026, 1, 2, tzinfo=UTC), end=datetime(2026, 1, 1, tzinfo=UTC)),
    Window(end=datetime(1970, 1, 1, tzinfo=UTC)),
)
MOMENTS = (
    None,
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2026, 1, 1, tzinfo=UTC),
    datetime(9999, 1, 1, tzinfo=UTC),
)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A source under test.

    held: kinds that it certainly has documents of. as_of: a time that lies between its lines, when they have times.
    failing: the same source when it is denied, unreachable, slow or answers nonsense.
    """

    source: Source
    held: Sequence[Kind]
    context: ReadContext = field(default_factory=ReadContext)
    as_of: datetime | None = None
    failing: Sequence[Source] = ()


class SourceLaws:
    """The laws. Subclass as `Test<Source>` and give the fixture `subject`."""

    def test_the_name_is_stable_and_printable(self, subject: Subject) -> None:
        assert subject.source.name == subject.source.name
        assert subject.source.name.strip().isprintable()
        assert subject.source.name

    @pytest.mark.parametrize("question", QUESTIONS)
    def test_no_question_raises(self, subject: Subject, question: Question) -> None:
        for window in WINDOWS:
            for as_of in MOMENTS:
                assert isinstance(subject.source.read(question, window, as_of), Answer)

    def test_it_has_what_it_says_it_has(self, subject: Subject) -> None:
        for kind in subject.held:
            answer = subject.source.read(Question(kinds=(kind,)), OPEN, None)
            assert kind in {document.kind for document in answer.documents}

    @pytest.mark.parametrize("kind", Kind)
    def test_only_the_kinds_that_were_asked_for_come_back(self, subject: Subject, kind: Kind) -> None:
        answer = subject.source.read(Question(kinds=(kind,)), OPEN, None)
        assert {document.kind for document in answer.documents} <= {kind}

    def test_everything_says_where_it_is_from(self, subject: Subject) -> None:
        answer = subject.source.read(Question(), OPEN, None)
        for part in (*answer.documents, *answer.coverage, *answer.gaps):
            assert part.source == subject.source.name
        for document in answer.documents:
            assert document.path
            assert document.query

    def test_every_document_is_covered(self, subject: Subject) -> None:
        answer = subject.source.read(Question(), OPEN, None)
        covered = {(entry.kind, entry.path) for entry in answer.coverage} | {
            (entry.kind, None) for entry in answer.coverage
        }
        for document in answer.documents:
            assert (document.kind, document.path) in covered or (document.kind, None) in covered

    def test_a_complete_document_is_never_covered_as_less_and_a_gap_says_what_it_would_tell(
        self, subject: Subject
    ) -> None:
        answer = subject.source.read(Question(), OPEN, None)
        states = {entry.path: entry.state for entry in answer.coverage if entry.path}
        for document in answer.documents:
            if document.complete:
                assert states.get(document.path, CoverageState.COMPLETE) is CoverageState.COMPLETE
        assert all(gap.why.strip() and gap.would_tell.strip() for gap in answer.gaps)

    def test_documents_are_whole_and_can_be_cited(self, subject: Subject) -> None:
        for document in subject.source.read(Question(), OPEN, None).documents:
            with document.body.open() as first, document.body.open() as second:
                data = first.read()
                assert data == second.read()
            assert document.body.sha256 == hashlib.sha256(data).hexdigest()
            assert document.body.size == len(data)
            for number in {1, len(document.lines)} if document.lines else ():
                assert document.cite(number).excerpt == document.lines[number - 1].rstrip("\r")

    def test_the_same_question_gets_the_same_answer(self, subject: Subject) -> None:
        first, second = (subject.source.read(Question(), OPEN, subject.as_of) for _ in range(2))
        assert _digests(first.documents) == _digests(second.documents)
        assert first.coverage == second.coverage
        assert first.gaps == second.gaps

    def test_a_literal_is_in_every_document_that_comes_back(self, subject: Subject) -> None:
        whole = subject.source.read(Question(), OPEN, None).documents
        literal = next((line for document in whole for line in document.lines if len(line) > 3), None)
        if literal is not None:
            answer = subject.source.read(Question(contains=literal), OPEN, None)
            assert answer.documents
            assert all(literal in document.text for document in answer.documents)

    def test_nothing_later_than_as_of_is_visible(self, subject: Subject) -> None:
        as_of = subject.as_of
        if as_of is None:
            return
        answer = subject.source.read(Question(), OPEN, as_of)
        for document in answer.documents:
            clock = stamper(document, subject.context)
            for number, line in enumerate(document.lines, start=1):
                earliest = clock.stamp(number, line).earliest
                assert not line or earliest is None or earliest <= as_of

    def test_a_source_that_fails_says_so_and_never_looks_complete(self, subject: Subject) -> None:
        for source in subject.failing:
            answer = source.read(Question(), OPEN, None)
            assert answer.gaps
            assert not any(entry.state is CoverageState.COMPLETE for entry in answer.coverage)
            assert any(entry.state is not CoverageState.PARTIAL for entry in answer.coverage)


def _digests(documents: Sequence[Document]) -> list[tuple[str, str]]:
    return [(document.path, document.body.sha256) for document in documents]
