"""What people say: one claim per line, with its author, its time and the headings above it."""

from datetime import UTC, datetime

from firstfault.tools.context import NO_CONTEXT, ReadContext
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Note
from tests.documents import document


def notes(text: str, path: str = "raw/notes.txt", context: ReadContext = NO_CONTEXT) -> tuple[Note, ...]:
    held = document(text, Kind.OPERATOR_NOTES, path)
    found = read(held, context).notes
    for note in found:
        assert note.cite().excerpt == "\n".join(held.lines[note.line - 1 : note.line_end])
    return found


def test_every_line_is_a_claim() -> None:
    found = notes("The node is unreachable.\n\nIt was not OOMKilled.\n")
    assert [(note.text, note.line) for note in found] == [
        ("The node is unreachable.", 1),
        ("It was not OOMKilled.", 3),
    ]


def test_timelines_have_times_and_authors() -> None:
    text = (
        "2024-09-20 11:24: Platform team alerted\n2024-09-20 11:26 - alice: users report 503\n"
        "[2024-09-20 11:30] <bob> rolled back\n@carol: looks fine\nCapacity: 20941697024 bytes\n"
    )
    found = notes(text)
    assert [note.author for note in found] == [None, "alice", "bob", "carol", None]
    assert [note.text for note in found] == [
        "Platform team alerted", "users report 503", "rolled back", "looks fine", "Capacity: 20941697024 bytes",
    ]  # fmt: skip
    assert found[1].stamp is not None
    assert found[1].stamp.at == datetime(2024, 9, 20, 11, 26, tzinfo=UTC)
    assert found[3].stamp is None


def test_yaml_notes_carry_the_headings_above_them() -> None:
    text = '# said by people\nevent_1:\n  date: 2026-09-05\n  first_error: {node: n5}\nattempts:\n  - {time: "08:09Z", tasks: [1]}\n  - failed again\nstate: idle\n'  # noqa: E501 - as the tool prints it
    found = notes(text, "raw/notes.yaml")
    assert [note.text for note in found] == [
        "event_1: date: 2026-09-05", "event_1: first_error: {node: n5}", 'attempts: {time: "08:09Z", tasks: [1]}', "attempts: failed again",  # noqa: E501 - as the tool prints it
        "state: idle",
    ]  # fmt: skip
    assert [note.line for note in found] == [3, 4, 6, 7, 8]


def test_rows_of_tables_are_claims_and_rules_are_not() -> None:
    assert [note.line for note in notes("| GPUs | nodes |\n|---|---|\n| 8 | 12 |\n")] == [1, 3]


SLACK = """[
 {"type": "message", "user": "U1", "user_profile": {"real_name": "Alice"}, "text": "node 7 is gone", "ts": "1782184485.000200"},
 {"type": "message", "user": "U2", "text": "cordoned it", "ts": "1782184545.000100"}
]
"""


def test_chat_exports_give_author_and_time() -> None:
    first, second = notes(SLACK, "raw/slack.json")
    assert (first.author, first.text) == ("Alice", "node 7 is gone")
    assert first.stamp is not None
    assert first.stamp.at == datetime(2026, 6, 23, 3, 14, 45, 200, tzinfo=UTC)
    assert second.author == "U2"


def test_messages_later_than_what_may_be_seen_are_not_there() -> None:
    as_of = ReadContext(as_of=datetime(2026, 6, 23, 3, 15, tzinfo=UTC))
    assert [note.text for note in notes(SLACK, "raw/slack.json", as_of)] == ["node 7 is gone"]


def test_objects_that_people_paste_into_notes_are_read_too() -> None:
    text = "It looks like this:\nNAME      READY   STATUS    RESTARTS   AGE\ntrain-0   0/1     Pending   0          5m\n"
    reading = read(document(text, Kind.OPERATOR_NOTES), NO_CONTEXT)
    assert [found.name for found in reading.objects] == ["train-0"]
    assert len(reading.notes) == 3
