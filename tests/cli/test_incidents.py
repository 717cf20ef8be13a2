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


ENDING = ("--resolution", "riser swapped", "--outcome", "worked", "--by", "jo")


def test_a_resolved_incident_is_remembered_and_found_again(run: Run, store: Store) -> None:
    line = reports.evidence("raw/kernel.log", 3, "NVRM: Xid 79")
    entry = reports.entry("xid.79", reports.entity("gpu", "0000:91:00"), line, role="cause", uptime_s=1.0)
    report = reports.report(diagnosis=reports.diagnosis(), timeline=[entry], evidence=[line])
    for name in ("old", "new"):
        store.incidents.open(incident(name, f"c-{name}"), AT)
        store.reports.put(
            report.model_copy(update={"incident": report.incident.model_copy(update={"id": name})}), AT
        )
    resolved = run("incidents", "resolve", "old", *ENDING)
    assert resolved.exit_code == 0
    assert "class:gpu.fell_off_bus" in resolved.stdout
    assert store.incidents.get("old").status is Status.RESOLVED
    (found,) = json.loads(run("incidents", "search", "--like", "new", "--json").stdout)
    assert (found["id"], found["resolution"], found["outcome"]) == ("old", "riser swapped", "worked")
    assert "signal:xid.79" in found["shared"]
    assert run("incidents", "search", "riser").stdout.startswith("old  ")
    assert json.loads(run("incidents", "search", "--like", "old", "--json").stdout) == []
    (event,) = [each for each in store.audit.events() if each.kind == "incident.resolved"]
    assert (event.actor, event.subject, event.why) == ("jo", "old", "riser swapped")


def test_what_people_found_out_later_replaces_what_the_report_said(run: Run, store: Store) -> None:
    report = reports.report(diagnosis=reports.diagnosis())
    store.incidents.open(incident(report.incident.id), AT)
    store.reports.put(report, AT)
    run("incidents", "resolve", report.incident.id, *ENDING, "--class", "host.pcie_link", "--culprit", "node")
    past = store.memories.get(report.incident.id)
    assert past is not None
    assert {"class:host.pcie_link", "culprit:node"} <= past.features
    assert "class:gpu.fell_off_bus" not in past.features


def test_an_incident_from_elsewhere_can_be_added(run: Run, store: Store) -> None:
    added = run(
        "incidents", "add", "JIRA-7", "--summary", "training hung", "--signal", "nccl.watchdog_timeout",
        "--class", "network.link_down", "--at", "2025-02-03", *ENDING,
    )  # fmt: skip
    assert added.exit_code == 0
    past = store.memories.get("JIRA-7")
    assert past is not None
    assert past.features == {"signal:nccl.watchdog_timeout", "class:network.link_down"}
    assert past.at.isoformat() == "2025-02-03T00:00:00+00:00"
    assert run("incidents", "search").stdout.splitlines()[0] == "JIRA-7  2025-02-03  training hung"
    assert run("incidents", "search", "nothing of the kind").stderr == "nothing found\n"


def test_mistakes_are_named(run: Run, store: Store) -> None:
    store.incidents.open(incident("inc-1"), AT)
    for arguments, said in [
        (("resolve", "nobody", *ENDING), "there is no incident `nobody`"),
        (("resolve", "inc-1", *ENDING, "--class", "gpu.fell_of_bus"), "did you mean `gpu.fell_off_bus`?"),
        (("add", "inc-1", "--summary", "x", *ENDING), "use `firstfault incidents resolve`"),
        (("search", "--like", "nobody"), "there is no incident `nobody`"),
    ]:
        refused = run("incidents", *arguments)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert said in refused.stderr


def test_a_ticket_is_written_once_and_says_what_is_missing(run: Run, store: Store) -> None:
    first = reports.report()
    name = first.incident.id
    store.incidents.open(incident(name), AT)
    assert "has no report yet" in run("incidents", "ticket", name).stderr
    store.reports.put(first, AT)

    made = run("incidents", "ticket", name)
    assert made.exit_code == 0
    assert made.stdout.startswith("Subject: ")
    assert f"written to {name}-ticket.zip" in made.stderr
    assert "does not advise a ticket" in made.stderr
    assert "is there already" in run("incidents", "ticket", name).stderr
    assert run("incidents", "ticket", name, "--text").stdout.startswith("Subject: ")
    assert "there is no incident `nobody`" in run("incidents", "ticket", "nobody").stderr
