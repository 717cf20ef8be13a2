"""`firstfault incidents`."""

import json
from datetime import timedelta

from firstfault.agent.store import Status, Store
from tests import reports
from tests.agent.store.samples import AT, incident
from tests.cli.conftest import Run


def test_incidents_are_listed_newest_first(run: Run, store: Store) -> None:
    assert run("incidents", "list").stderr == "no incidents\n"
    for n in range(3):
        store.incidents.open(incident(f"inc-{n}"), AT + timedelta(hours=n))
    store.incidents.set_status("inc-1", Status.CLOSED, AT)
    ids = [each["id"] for each in json.loads(run("incidents", "list", "--json").stdout)]
    assert ids == ["inc-2", "inc-1", "inc-0"]
    table = run("incidents", "list", "--status", "closed").stdout.splitlines()
    assert [line.split()[0] for line in table] == ["INCIDENT", "inc-1"]


def test_a_report_is_shown_as_it_was_published(run: Run, store: Store) -> None:
    first = reports.report()
    name = first.incident.id
    store.incidents.open(incident(name), AT)
    store.reports.put(first, AT)
    store.reports.put(first.model_copy(update={"verdict": "INCONCLUSIVE"}), AT)
    assert json.loads(run("incidents", "show", name, "--json").stdout)["verdict"] == "INCONCLUSIVE"
    old = run("incidents", "show", name, "--version", 1, "--json").stdout
    assert json.loads(old) == json.loads(first.model_dump_json(by_alias=True))
    assert "INCONCLUSIVE" in run("incidents", "show", name).stdout


def test_what_is_not_there_is_named(run: Run, store: Store) -> None:
    store.incidents.open(incident("inc-1"), AT)
    missing = run("incidents", "show", "nobody")
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert missing.stderr == "firstfault: there is no incident `nobody`: see `firstfault incidents list`\n"
    assert "it has no report yet" in run("incidents", "show", "inc-1").stderr
