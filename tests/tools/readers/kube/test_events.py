"""One event in each of the shapes in which events are pasted gives the same event."""

from datetime import UTC, datetime

import pytest

from firstfault.tools.context import NO_CONTEXT, ReadContext
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import KubeEvent
from tests.documents import document

MESSAGE = "0/4 nodes are available: 4 Insufficient nvidia.com/gpu."

TABLE = f"""LAST SEEN   TYPE      REASON             OBJECT        MESSAGE
16m         Warning   FailedScheduling   pod/train-0   {MESSAGE}
"""
WIDE = f"""NAMESPACE   LAST SEEN   TYPE      REASON             OBJECT        SUBOBJECT   SOURCE              MESSAGE                                                   FIRST SEEN   COUNT   NAME
ml          16m         Warning   FailedScheduling   pod/train-0               default-scheduler   {MESSAGE}   5h43m        70      train-0.17a
"""  # noqa: E501 - as the tool prints it
OLD = f"""LASTSEEN   FIRSTSEEN   COUNT     NAME          KIND      SUBOBJECT   TYPE      REASON             SOURCE              MESSAGE
16m        5h43m       70        train-0       Pod                   Warning   FailedScheduling   default-scheduler   {MESSAGE}
"""  # noqa: E501 - as the tool prints it
BROKEN = f"""LAST SEEN   TYPE      REASON             OBJECT        MESSAGE
16m  Warning  FailedScheduling  pod/train-0-with-a-name-that-is-longer-than-its-column  {MESSAGE}
"""
DESCRIBED = f"""Name:         train-0
Namespace:    ml
Node:         <none>
QoS Class:    Burstable
Events:
  Type     Reason            Age                   From               Message
  ----     ------            ----                  ----               -------
  Warning  FailedScheduling  16m (x70 over 5h43m)  default-scheduler  {MESSAGE}
"""
OLD_DESCRIBED = f"""Name:         train-0
Namespace:    ml
QoS Class:    Burstable
Events:
  FirstSeen\tLastSeen\tCount\tFrom\t\t\tSubObjectPath\tType\t\tReason\t\t\tMessage
  ---------\t--------\t-----\t----\t\t\t-------------\t--------\t------\t\t\t-------
  5h43m\t\t16m\t\t70\tdefault-scheduler\t\t\tWarning\t\tFailedScheduling\t{MESSAGE}
"""
BARE = f"Warning  FailedScheduling  default-scheduler  {MESSAGE}\n"
WRAPPED = "Warning  FailedScheduling  16m  default-scheduler  0/4 nodes are available:\n4 Insufficient nvidia.com/gpu.\n"
JSON = """{"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "v1", "kind": "Event", "reason": "FailedScheduling", "type": "Warning",
   "message": "MESSAGE",
   "involvedObject": {"kind": "Pod", "namespace": "ml", "name": "train-0", "fieldPath": "spec.containers{trainer}"},
   "source": {"component": "default-scheduler"}, "count": 70,
   "firstTimestamp": "2024-11-29T02:57:00Z", "lastTimestamp": "2024-11-29T08:24:00Z"}
]}
""".replace("MESSAGE", MESSAGE)
NEW_JSON = """apiVersion: events.k8s.io/v1
kind: Event
metadata:
  name: train-0.1
  namespace: ml
eventTime: "2024-11-29T02:57:00.000000Z"
note: "MESSAGE"
reason: FailedScheduling
regarding:
  kind: Pod
  name: train-0
  namespace: ml
reportingController: default-scheduler
series:
  count: 70
  lastObservedTime: "2024-11-29T08:24:00.000000Z"
type: Warning
""".replace("MESSAGE", MESSAGE)
CONTROLLER_LOG = (
    'I1129 08:24:00.000001       1 event.go:389] "Event occurred" object="ml/train-0" fieldPath="" kind="Pod" apiVersion="v1" '
    f'type="Warning" reason="FailedScheduling" message="{MESSAGE}"\n'
)
CLIENT_LOG = (
    'I1129 08:24:00.000001       1 event.go:221] Event(v1.ObjectReference{Kind:"Pod", Namespace:"ml", Name:"train-0", UID:"1", '
    'APIVersion:"v1", ResourceVersion:"9", FieldPath:""}): type: \'Warning\' reason: \'FailedScheduling\' '
    + MESSAGE
    + "\n"
)


def only_event(
    text: str, kind: Kind = Kind.KUBE_EVENTS, context: ReadContext = NO_CONTEXT, path: str = "raw/e.txt"
) -> KubeEvent:
    (event,) = read(document(text, kind, path), context).events
    return event


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (TABLE, Kind.KUBE_EVENTS),
        (WIDE, Kind.KUBE_EVENTS),
        (OLD, Kind.KUBECTL_GET),
        (BROKEN, Kind.KUBE_EVENTS),
        (DESCRIBED, Kind.KUBECTL_DESCRIBE),
        (OLD_DESCRIBED, Kind.KUBECTL_DESCRIBE),
        (BARE, Kind.KUBE_EVENTS),
        (WRAPPED, Kind.KUBE_EVENTS),
        (JSON, Kind.KUBE_EVENTS),
        (NEW_JSON, Kind.KUBE_OBJECTS),
        (CONTROLLER_LOG, Kind.CONTAINER_LOG),
        (CLIENT_LOG, Kind.CONTAINER_LOG),
    ],
)
def test_every_shape_gives_reason_type_message_and_a_citable_line(text: str, kind: Kind) -> None:
    event = only_event(text, kind)
    assert (event.type, event.reason) == ("Warning", "FailedScheduling")
    assert event.message == MESSAGE
    assert "FailedScheduling" in event.cite().excerpt


@pytest.mark.parametrize("text", [WIDE, OLD, DESCRIBED, OLD_DESCRIBED, JSON, NEW_JSON])
def test_shapes_that_say_it_give_count_source_and_both_ends(text: str) -> None:
    event = only_event(text)
    assert event.count == 70
    assert event.component == "default-scheduler"
    assert event.first is not None
    assert event.last is not None


@pytest.mark.parametrize("text", [WIDE, DESCRIBED, OLD_DESCRIBED, JSON, NEW_JSON, CONTROLLER_LOG, CLIENT_LOG])
def test_shapes_that_say_it_name_the_object(text: str) -> None:
    event = only_event(text, Kind.CONTAINER_LOG if "event.go" in text else Kind.KUBE_EVENTS)
    assert event.involved is not None
    assert event.involved.key == "pod/ml/train-0"


def test_the_field_path_of_an_object_is_kept() -> None:
    assert only_event(JSON).field_path == "spec.containers{trainer}"


def test_ages_count_back_from_the_opening_of_the_incident() -> None:
    event = only_event(
        DESCRIBED, Kind.KUBECTL_DESCRIBE, ReadContext(opened_at=datetime(2024, 11, 29, 8, 40, tzinfo=UTC))
    )
    assert event.last is not None
    assert event.last.at == datetime(2024, 11, 29, 8, 23, 30, tzinfo=UTC)


def test_events_later_than_what_may_be_seen_are_not_there() -> None:
    as_of = ReadContext(as_of=datetime(2024, 11, 29, 8, 0, tzinfo=UTC))
    assert read(document(JSON, Kind.KUBE_EVENTS), as_of).events == ()


def test_namespace_of_the_command_above_a_table_is_used() -> None:
    text = f"$ kubectl -n ml get events\n{TABLE}"
    event = only_event(text)
    assert event.involved is not None
    assert event.involved.namespace == "ml"


def test_records_of_monitoring_tools_are_events_too() -> None:
    text = (
        '{"warning_events": [{"namespace": "shop", "reason": "BackOff", "message": "m", "type": "Warning", "count": 6, '
        '"involved_object": "Pod/api-1", "first_time": "2026-04-18T10:32:00Z", "last_time": "2026-04-18T10:45:00Z"}]}'
    )
    event = only_event(text)
    assert event.involved is not None
    assert (event.involved.key, event.count) == ("pod/shop/api-1", 6)


def test_a_message_that_was_wrapped_is_one_event_over_two_lines() -> None:
    event = only_event(WRAPPED)
    assert (event.line, event.line_end) == (1, 2)


@pytest.mark.parametrize(
    "text", ["Normal operation resumed\n", "Warning: this is not an event\n", "NormalX  Foo\n"]
)
def test_sentences_are_no_events(text: str) -> None:
    assert read(document(text, Kind.KUBE_EVENTS), NO_CONTEXT).events == ()
