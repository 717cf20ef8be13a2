"""Explanations of a small incident: an image that is not there, and a quota that is not the reason."""

from collections.abc import Iterable

import pytest

from firstfault.agent.classes.definitions import ClassDefinition, parse_class
from firstfault.agent.classes.matching import SignalSet
from firstfault.agent.correlate.echoes import Echo
from firstfault.agent.explain.explanation import Explanation, NoSuchClassError, explain
from firstfault.agent.explain.known import Known
from firstfault.agent.explain.plain import document_of
from firstfault.agent.explain.words import lines_of
from firstfault.tools.evidence import Coverage, CoverageState, Evidence
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from tests.signals import pod, signal

IMAGE = """
class: kubernetes.image_pull
title: Image {image} cannot be pulled
owner: application
sources: [docs]
looks_for:
- {id: missing, strength: decisive, any: [image.missing], because: "{entity} wants {image}"}
- {id: slow, strength: weak, any: [image.slow], because: it is slow}
contradicted_by:
- {id: runs, any: [pod.running], because: "{entity} runs"}
absences:
- {id: no-event, expects: [image.missing], kind: [kube_events], because: the kubelet writes an event}
explains: [pod.pending]
rivals: [kubernetes.quota]
needs:
- {kind: kube_events, would_tell: what the kubelet says, command: kubectl get events}
"""
QUOTA = """
class: kubernetes.quota
title: A quota is used up
owner: platform
sources: [docs]
looks_for:
- {id: refused, strength: strong, any: [quota.refused, pod.pending], because: it is refused}
- {id: echoed, strength: strong, any: [quota.echo], because: it is refused}
"""


def classes() -> tuple[ClassDefinition, ...]:
    """Return the two classes of these tests."""
    return (parse_class(IMAGE, "image.yaml"), parse_class(QUOTA, "quota.yaml"))


def known(*signals: Signal, echoes: Iterable[Echo] = (), coverage: Iterable[Coverage] = ()) -> Known:
    """Return what was seen."""
    given = tuple(echoes)
    return Known(
        signals=SignalSet(signals=signals, echoes={echo.index: echo.because for echo in given}),
        echoes=given,
        coverage=tuple(coverage),
        documents=(),
        question="",
    )


def raw(evidence: Evidence) -> str:
    """Return the excerpt as it is."""
    return evidence.excerpt


MISSING = signal("image.missing", entity=pod("web"), kind=Kind.KUBE_EVENTS, attributes={"image": "web:9"})
PENDING = signal("pod.pending", line=2, entity=pod("web"), kind=Kind.KUBE_OBJECTS)


def text(explanation: Explanation) -> str:
    """Return the printed lines."""
    return "\n".join(lines_of(explanation, raw))


def test_without_a_name_the_diagnosis_is_explained() -> None:
    found = explain(None, classes(), known(MISSING, PENDING))
    assert found.is_diagnosis
    assert found.answer.startswith("kubernetes.image_pull is the diagnosis, CONFIRMED:")
    shown = text(found)
    assert "What kubernetes.image_pull looks for (Image web:9 cannot be pulled)" in shown
    assert "  + decisive, missing: web wants web:9\n      raw/kernel.log:1  image.missing on web" in shown
    assert "  - weak, slow: none of these seen: image.slow" in shown
    assert "  - runs: none of these seen: pod.running" in shown
    assert "Rank 1 of 2" in shown


def test_a_class_that_follows_from_the_diagnosis_says_so() -> None:
    found = explain("kubernetes.quota", classes(), known(MISSING, PENDING))
    assert not found.is_diagnosis
    assert "what speaks for it follows from kubernetes.image_pull" in found.answer
    assert "(kubernetes.image_pull: 3)" in text(found)


def test_a_class_of_lower_rank_names_what_decides() -> None:
    refused = signal("quota.refused", line=3, entity=pod("web"), kind=Kind.KUBE_EVENTS)
    found = explain("kubernetes.quota", classes(), known(MISSING, refused))
    assert "kubernetes.image_pull ranks higher (strength: 3 against 2)" in found.answer
    assert found.rivals == ("kubernetes.image_pull",)


def test_a_contradicted_class_names_the_contradiction() -> None:
    running = signal("pod.running", line=4, entity=pod("web"), kind=Kind.KUBE_OBJECTS)
    refused = signal("quota.refused", line=3, entity=pod("web"), kind=Kind.KUBE_EVENTS)
    found = explain("kubernetes.image_pull", classes(), known(MISSING, refused, running))
    assert "something contradicts it (web runs)" in found.answer
    assert "  ! runs: web runs" in text(found)


def test_a_class_without_a_sign_and_one_that_rests_on_echoes() -> None:
    nothing = explain("kubernetes.quota", classes(), known(MISSING))
    assert "nothing that it looks for was seen" in nothing.answer
    assert nothing.place is None
    echo = Echo(index=1, rule="r", because="a retry", root=0)
    only = explain("kubernetes.quota", classes(), known(MISSING, signal("quota.echo", line=5), echoes=[echo]))
    assert "all it would rest on are echoes" in only.answer
    assert "  ~ explained away: quota.echo on 0000:91:00: a retry" in text(only)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (CoverageState.COMPLETE, "rules the class out: raw/events was read whole"),
        (CoverageState.PARTIAL, "this says nothing"),
    ],
)
def test_an_absence_counts_only_in_a_source_that_was_read_whole(state: CoverageState, said: str) -> None:
    covered = Coverage(source="case", kind=Kind.KUBE_EVENTS, state=state, path="raw/events")
    found = explain("kubernetes.image_pull", classes(), known(PENDING, coverage=[covered]))
    ((_, told),) = found.absences
    assert said in told


def test_what_was_never_read_is_asked_for_with_the_command() -> None:
    shown = text(explain("kubernetes.image_pull", classes(), known(PENDING)))
    assert "  ? kube_events: what the kubelet says (`kubectl get events`)" in shown


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        NoSuchClassError, match=r"no class is called `image_pull`; there is kubernetes.image_pull"
    ):
        explain("image_pull", classes(), known())


def test_the_json_holds_the_same_and_excerpts_go_through_the_redactor() -> None:
    document = document_of(explain(None, classes(), known(MISSING, PENDING)), lambda _evidence: "hidden")
    assert document["schema"] == "firstfault.explanation/v1"
    assert (document["is_diagnosis"], document["rank"], document["ranked"]) == (True, 1, 2)
    criteria = document["criteria"]
    assert isinstance(criteria, list)
    assert criteria[0]["signals"] == [
        {
            "signal": "image.missing",
            "entity": {"kind": "pod", "name": "web"},
            "at": None,
            "path": "raw/kernel.log",
            "line": 1,
            "excerpt": "hidden",
            "count": 1,
        }
    ]
