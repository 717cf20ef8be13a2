"""Every format is recognised by its example, places of bundles are known, prose is told from logs, and the page says so."""

from pathlib import Path

import pytest

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.kinds import Kind
from firstfault.tools.recording.sniffing import sniff
from firstfault.tools.recording.sniffing.formats import Format, Strength, formats
from firstfault.tools.recording.sniffing.reference import main, page
from firstfault.tools.stamps import age_of, stamper
from firstfault.tools.stamps.dialects import EXAMPLES
from tests.documents import document

BY_LINES = [held for held in formats() if held.strength in {Strength.SIGN, Strength.LINE}]


def sniffed(text: str, path: str = "1.txt") -> Kind:
    return sniff(path, MemoryBody(text.encode())).kind


@pytest.mark.parametrize("held", BY_LINES, ids=lambda held: f"{held.kind}: {held.name}")
def test_a_format_matches_its_own_example(held: Format) -> None:
    assert held.pattern.search(held.example)


@pytest.mark.parametrize("held", BY_LINES, ids=lambda held: f"{held.kind}: {held.name}")
def test_a_text_of_one_format_is_taken_for_its_kind(held: Format) -> None:
    assert sniffed(f"{held.example}\n" * 3) is held.kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}}', Kind.KUBE_OBJECTS),
        ('{"kind": "List", "items": [{"kind": "Pod", "metadata": {}}]}', Kind.KUBE_OBJECTS),
        ('{"kind": "EventList", "items": []}', Kind.KUBE_EVENTS),
        ('{"warning_events": []}', Kind.KUBE_EVENTS),
        ('{"pods": [{"name": "p", "phase": "Running"}]}', Kind.KUBE_OBJECTS),
        ('{"kind":"Event","apiVersion":"audit.k8s.io/v1","verb":"get"}\n', Kind.AUDIT_LOG),
        ('{"status":"success","data":{"resultType":"matrix","result":[]}}', Kind.PROMETHEUS_RESPONSE),
        ('{"status":"success","data":{"resultType":"streams","result":[]}}', Kind.CONTAINER_LOG),
        ('{"status":"success","data":{"alerts":[]}}', Kind.ALERTS),
        ('[{"labels":{"alertname":"x"},"fingerprint":"f"}]', Kind.ALERTS),
        ('{"monitors":[{"name":"m","overall_state":"OK"}]}', Kind.PROMETHEUS_RESPONSE),
        ('{"version":"2.5","entries":[]}', Kind.FLIGHT_RECORDER),
        ('[{"type":"message","text":"x","ts":"1.2"}]', Kind.OPERATOR_NOTES),
        ('{"logs":[{"timestamp":"2026-01-01T00:00:00Z","message":"m"}]}', Kind.APPLICATION_LOG),
        ('{"level":"info","ts":1.0,"msg":"x"}\n{"level":"info","ts":2.0,"msg":"y"}\n', Kind.CONTAINER_LOG),
        ('{"something": "else"}', Kind.PLAIN),
        ("[0]bond0:10.0.1.161<0>\n", Kind.PLAIN),
        (
            "The node is gone since this morning.\nNobody changed anything, as far as we know.\n",
            Kind.OPERATOR_NOTES,
        ),
        (
            "2024-09-20 11:24: the platform team was alerted\n2024-09-20 11:26: users report errors in the channel\n",
            Kind.OPERATOR_NOTES,
        ),
        (
            "2024-09-20 11:21: vpc pipeline unpaused by someone\n2024-09-20 11:22: route tables are destroyed again\n",
            Kind.CHANGE_LOG,
        ),
        ("count: 7 of 8 devices\nother_nodes: all fine, nothing was seen there\n", Kind.OPERATOR_NOTES),
        ("All hosts tried for query failed and the queue has reached its size\n" * 3, Kind.PLAIN),
        ("Jun 23 03:14:45 n sshd[1]: a\nJun 23 03:14:46 n systemd[1]: b\n", Kind.SYSLOG),
        ("", Kind.PLAIN),
        ("\n\n\n", Kind.PLAIN),
    ],
)
def test_kinds_are_told_by_content_alone(text: str, kind: Kind) -> None:
    assert sniffed(text) is kind


@pytest.mark.parametrize(
    ("path", "kind", "labels"),
    [
        (
            "mg/namespaces/ml/pods/train-0/trainer/trainer/logs/current.log",
            Kind.CONTAINER_LOG,
            {"namespace": "ml", "pod": "train-0", "container": "trainer"},
        ),
        ("mg/namespaces/ml/core/events.yaml", Kind.KUBE_EVENTS, {"namespace": "ml"}),
        ("mg/cluster-scoped-resources/core/nodes/gpu-7.yaml", Kind.KUBE_OBJECTS, {"node": "gpu-7"}),
        ("mg/host_service_logs/masters/kubelet_service.log", Kind.KUBELET_LOG, {}),
        (
            "sb/cluster-resources/pods/logs/ml/train-0/trainer-previous.log",
            Kind.CONTAINER_LOG,
            {"namespace": "ml", "pod": "train-0", "container": "trainer"},
        ),
        ("sb/cluster-resources/events/ml.json", Kind.KUBE_EVENTS, {"namespace": "ml"}),
        ("dump/ml/train-0/logs.txt", Kind.CONTAINER_LOG, {"namespace": "ml", "pod": "train-0"}),
        (
            "var/log/pods/ml_train-0_0f2e7a9c-1111-4222-8333-444455556666/trainer/0.log",
            Kind.CONTAINER_LOG,
            {"namespace": "ml", "pod": "train-0", "container": "trainer"},
        ),
        (
            "var/log/containers/train-0_ml_trainer-" + "a" * 64 + ".log",
            Kind.CONTAINER_LOG,
            {"namespace": "ml", "pod": "train-0", "container": "trainer"},
        ),
        ("sosreport-gpu7-2026-06-23-abc/sos_commands/kernel/dmesg", Kind.KERNEL_LOG, {"node": "gpu7"}),
        ("nvidia-bug-report.log.gz", Kind.HOST_TOOL, {}),
    ],
)
def test_places_where_support_tools_keep_files(path: str, kind: Kind, labels: dict[str, str]) -> None:
    found = sniff(path, MemoryBody(b"x\ny\n"))
    assert (found.kind, dict(found.labels)) == (kind, labels)
    assert found.reason


@pytest.mark.parametrize(
    ("path", "text", "labels"),
    [
        ("kern.log", "Jun 23 03:14:45 gpu-7 kernel: a\nJun 23 03:14:46 gpu-7 kernel: b\n", {"node": "gpu-7"}),
        ("kern.log", "Jun 23 03:14:45 gpu-7 kernel: a\nJun 23 03:14:46 gpu-8 kernel: b\n", {}),
        ("n.log", "gpu-7:1:2 [0] NCCL INFO a\ngpu-7:1:2 [0] NCCL INFO b\n", {"node": "gpu-7"}),
        ("t.log", "[rank3]:[E101 00:00:00.0 ProcessGroupNCCL.cpp:1] a\n", {"rank": "3"}),
        ("logs/rank_12.log", "Traceback (most recent call last):\n", {"rank": "12"}),
        ("dmesg-gnode01.log", "[1.000000] a\n", {"node": "gnode01"}),
        ("nodes/gnode-1/dmesg.log", "[1.000000] a\n", {"node": "gnode-1"}),
        (
            "d.txt",
            "Name:         p\nNamespace:    ml\nNode:         n\nQoS Class:    Burstable\n",
            {"namespace": "ml"},
        ),
    ],
)
def test_what_a_text_is_about_is_told_when_all_its_lines_agree(
    path: str, text: str, labels: dict[str, str]
) -> None:
    assert dict(sniff(path, MemoryBody(text.encode())).labels) == labels


def test_the_page_is_what_the_tables_say() -> None:
    assert main(["--check"]) == 0
    text = page()
    for kind in Kind:
        assert f"## {kind}\n" in text


def test_the_examples_of_times_are_read() -> None:
    for name, example in EXAMPLES:
        stamp = stamper(document(f"{example}\n", Kind.SYSLOG), NO_CONTEXT).stamp(1, example)
        assert stamp.raw or age_of(example) or "-H" in name, name


def test_every_kind_has_a_format() -> None:
    assert {held.kind for held in formats()} == set(Kind)


def test_the_page_stands_beside_the_other_docs() -> None:
    assert Path("docs/formats.md").is_file()
