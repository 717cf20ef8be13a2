"""`firstfault audit`."""

import json
import sqlite3
from pathlib import Path

from firstfault.agent.store import Store
from tests.agent.store.samples import AT, event, incident
from tests.cli.conftest import Run


def test_an_empty_audit_is_sound_and_says_so(run: Run) -> None:
    assert run("audit", "verify").output == f"sound: 0 events, head {'0' * 64}\n"
    shown = run("audit", "show")
    assert (shown.exit_code, shown.stdout, shown.stderr) == (0, "", "no events\n")


def test_events_are_shown_one_a_line_and_hostile_text_is_made_visible(run: Run, store: Store) -> None:
    store.audit.append(event("1", why="asked\x1b[2J\nsecond line \u202e"))
    shown = run("audit", "show")
    (line,) = shown.stdout.splitlines()
    assert "stage.done" in line
    assert "\x1b" not in line
    assert "\u202e" not in line


def test_the_newest_events_are_shown(run: Run, store: Store) -> None:
    store.audit.append_all(event(str(n)) for n in range(5))
    keys = [each["key"] for each in json.loads(run("audit", "show", "--last", 2, "--json").stdout)]
    assert keys == ["3", "4"]


def test_an_incident_has_all_its_runs_and_what_people_did(run: Run, store: Store) -> None:
    store.incidents.open(incident("inc-1", "c-2"), AT)
    store.audit.append(event("first run", correlation_id="c-1"))
    store.audit.append(event("second run", correlation_id="c-2"))
    keys = [each["key"] for each in json.loads(run("audit", "show", "inc-1", "--json").stdout)]
    assert keys == ["first run", "second run"]
    assert len(json.loads(run("audit", "show", "c-2", "--json").stdout)) == 1


def test_an_export_is_json_lines_that_are_anchors(run: Run, store: Store) -> None:
    written = store.audit.append_all((event("1"), event("2")))
    lines = [json.loads(line) for line in run("audit", "export").stdout.splitlines()]
    assert [(each["seq"], each["digest"]) for each in lines] == [(each.seq, each.digest) for each in written]
    assert lines[0]["payload"] == {"list": [1, 2.5, None, True], "n": 1}
    anchor = f"{lines[1]['seq']}:{lines[1]['digest']}"
    assert run("audit", "verify", "--anchor", anchor).exit_code == 0
    assert run("audit", "verify", "--anchor", "2:" + "f" * 64).exit_code == 1


def test_a_changed_event_is_found_and_named(run: Run, store: Store, state: Path) -> None:
    store.audit.append_all((event("1"), event("2")))
    with sqlite3.connect(state / "firstfault.sqlite") as connection:
        connection.execute("DROP TRIGGER audit_events_no_update")
        connection.execute("UPDATE audit_events SET why = 'nobody asked' WHERE seq = 1")
    connection.close()
    checked = run("audit", "verify")
    assert checked.exit_code == 1
    assert checked.stdout.splitlines() == [
        "changed: event 1 was changed after it was written",
        "NOT SOUND: 1 findings in 2 events",
    ]


def test_what_is_no_anchor_is_refused(run: Run) -> None:
    refused = run("audit", "verify", "--anchor", "x")
    assert refused.exit_code == 2
    assert refused.stderr == (
        "firstfault: `x` is not an anchor: write SEQ:DIGEST, as `firstfault audit export` prints them\n"
    )
