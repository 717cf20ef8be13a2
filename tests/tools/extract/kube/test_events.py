"""Events as signals, and what a line inside an event or an object is about."""

from dataclasses import replace

import pytest

from firstfault.tools.extract.composition import extract
from firstfault.tools.extract.kube.events import snake
from firstfault.tools.kinds import Family, Kind
from firstfault.tools.readers import read
from firstfault.tools.signals import Signal
from tests.documents import document
from tests.tools.extract.kube.reading import NOW, seen

TABLE = """LAST SEEN             TYPE      REASON       OBJECT        MESSAGE
2m (x9 over 30m)      Warning   BackOff      pod/web-0     Back-off restarting failed container
3m                    Normal    Pulled       pod/web-0     Container image already present on machine
4m                    Normal    Killing      pod/web-0     Stopping container web
"""
LISTED = """
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: shop}
involvedObject: {kind: Pod, name: web-0, namespace: shop}
type: Warning
reason: Failed
count: 12
message: "Error: couldn't find key password in Secret shop/db"
firstTimestamp: "2026-03-01T11:00:00Z"
lastTimestamp: "2026-03-01T11:50:00Z"
"""


def _events(text: str) -> list[Signal]:
    return [
        s
        for s in seen(document(text, Kind.KUBE_EVENTS, "raw/events.txt"))
        if s.name.startswith("kube.event.")
    ]


@pytest.mark.parametrize(
    ("reason", "wanted"),
    [
        ("FailedScheduling", "failed_scheduling"),
        ("BackOff", "back_off"),
        ("FailedCreatePodSandBox", "failed_create_pod_sand_box"),
        ("", ""),
    ],
)
def test_reasons_as_names(reason: str, wanted: str) -> None:
    assert snake(reason) == wanted


def test_warnings_and_telling_normal_events_only() -> None:
    assert {signal.name for signal in _events(TABLE)} == {"kube.event.back_off", "kube.event.killing"}


def test_the_count_of_an_event_is_kept() -> None:
    (found,) = [signal for signal in _events(TABLE) if signal.name == "kube.event.back_off"]
    assert found.count == 9
    assert found.entity.name == "web-0"


def test_a_line_inside_an_event_has_its_object_its_time_and_its_count() -> None:
    events = document(LISTED, Kind.KUBE_OBJECTS, "raw/events.yaml")
    signals = extract([events], read(events, NOW), NOW)
    found = next(signal for signal in signals if signal.name == "kube.reference.key_missing")
    assert (found.attributes["pod"], found.count, found.family) == ("web-0", 12, Family.API_EVENTS)
    assert found.last is not None
    assert found.last.at is not None


@pytest.mark.parametrize("cut", ["LAST SEEN   TYPE\n", "2m Warning\n", "\n\n", "not a table at all\n"])
def test_a_table_that_is_cut_gives_no_event_and_no_error(cut: str) -> None:
    assert _events(cut) == []


def test_an_event_about_nothing() -> None:
    nobody = LISTED.replace("involvedObject: {kind: Pod, name: web-0, namespace: shop}", "involvedObject: {}")
    listed = replace(document(nobody, Kind.KUBE_OBJECTS, "raw/events.yaml"), complete=True)
    assert all(signal.entity.name != "web-0" for signal in seen(listed))
