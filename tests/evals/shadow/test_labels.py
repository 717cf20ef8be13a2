"""Labels: who said what, and what is done when they disagree."""

from datetime import UTC, datetime, timedelta

from firstfault.agent.feedback.labels import About, Label
from firstfault.evals.shadow.history import KnownCause, PastIncident, unknowns
from firstfault.evals.shadow.labels import missing_labels, settle

AT = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
INCIDENT = PastIncident(id="i1", alert_at=AT, actions=())


def label(field: About, value: str, author: str = "ann", *, after_s: int = 0, incident: str = "i1") -> Label:
    at = AT + timedelta(seconds=after_s)
    return Label(incident=incident, field=field, value=value, author=author, source="slack", at=at)


def test_a_label_makes_the_cause_known_and_names_its_author() -> None:
    found = settle(INCIDENT, [label(About.FAILURE_CLASS, "gpu.thermal"), label(About.OWNER, "platform")])
    assert found.incident.truth is not None
    assert (found.incident.truth.failure_class, found.incident.truth.layer, found.incident.truth.owner) == (
        "gpu.thermal",
        "gpu",
        "platform",
    )
    assert found.incident.cause is not None
    assert found.incident.cause.author == "ann"
    assert found.conflicts == ()


def test_two_authors_who_disagree_leave_the_cause_unknown_and_are_shown() -> None:
    labels = [label(About.FAILURE_CLASS, "gpu.thermal"), label(About.FAILURE_CLASS, "gpu.power", "bob")]
    found = settle(INCIDENT, labels)
    assert found.incident.truth is None
    assert found.conflicts == ("i1: people disagree on failure_class (ann: gpu.thermal, bob: gpu.power)",)


def test_an_author_may_change_their_mind_and_settle_it() -> None:
    labels = [
        label(About.FAILURE_CLASS, "gpu.power", "bob", after_s=60),
        label(About.FAILURE_CLASS, "gpu.thermal"),
        label(About.FAILURE_CLASS, "gpu.thermal", "bob", after_s=120),
    ]
    found = settle(INCIDENT, labels)
    assert found.conflicts == ()
    assert found.incident.truth is not None


def test_what_was_imported_is_a_claim_of_its_author_like_any_other() -> None:
    imported = INCIDENT.model_copy(update={"cause": KnownCause(failure_class="gpu.thermal", author="wiki")})
    assert settle(imported, []).incident.truth is not None
    against = settle(imported, [label(About.FAILURE_CLASS, "gpu.power")])
    assert against.incident.truth is None
    assert "wiki: gpu.thermal, ann: gpu.power" in against.conflicts[0]


def test_a_false_alarm_is_a_known_truth() -> None:
    found = settle(INCIDENT, [label(About.FALSE_ALARM, "true")]).incident
    assert found.truth is not None
    assert found.truth.is_no_fault


def test_culprit_and_first_fault_are_read() -> None:
    labels = [
        label(About.FAILURE_CLASS, "gpu.thermal"),
        label(About.CULPRIT, "gpu/0000:91:00"),
        label(About.FIRST_FAULT, "raw/a.log:7"),
    ]
    truth = settle(INCIDENT, labels).incident.truth
    assert truth is not None
    assert truth.culprit is not None
    assert truth.first_fault is not None
    assert (truth.culprit.kind, truth.culprit.name) == ("gpu", "0000:91:00")
    assert (truth.first_fault.path, truth.first_fault.line) == ("raw/a.log", 7)


def test_labels_of_other_incidents_are_theirs() -> None:
    assert settle(INCIDENT, [label(About.FAILURE_CLASS, "gpu.thermal", incident="i2")]).incident.truth is None


def test_what_is_unknown_is_asked_for() -> None:
    bare = PastIncident(id="i9")
    assert unknowns(bare) == ("cause", "actions", "alert time")
    assert unknowns(INCIDENT) == ("cause",)
    assert missing_labels([INCIDENT, bare]) == ("i1", "i9")
