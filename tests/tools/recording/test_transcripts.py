"""A pasted terminal session: each command's output is read as what it is, and cited where it stands in the file."""

from pathlib import Path

import pytest

from firstfault.tools.evidence import decode
from firstfault.tools.kinds import Kind
from firstfault.tools.recording import open_recording
from firstfault.tools.recording.transcripts import meaning, part_of, parts_of

SESSION = """$ kubectl get pods -n ml
NAME        READY   STATUS             RESTARTS   AGE
trainer-0   0/1     CrashLoopBackOff   7          15m

$ kubectl logs -n ml trainer-0 --previous | tail
Traceback (most recent call last):
ModuleNotFoundError: No module named 'flash_attn'
[root@gpu-7 ~]# dmesg -T | grep -i xid
[Sun Mar  1 03:12:44 2026] NVRM: Xid (PCI:0000:91:00): 79, pid=1, name=python, GPU has fallen off the bus.
"""


def test_every_output_is_a_document_of_its_kind(tmp_path: Path) -> None:
    (tmp_path / "paste.txt").write_text(SESSION)
    documents = open_recording(tmp_path).documents
    assert [document.kind for document in documents] == [
        Kind.KUBECTL_GET,
        Kind.CONTAINER_LOG,
        Kind.KERNEL_LOG,
    ]
    assert [dict(document.labels) for document in documents] == [
        {"namespace": "ml"},
        {"namespace": "ml", "pod": "trainer-0"},
        {"node": "gpu-7"},
    ]
    assert {document.path for document in documents} == {"paste.txt"}


def test_lines_are_cited_where_they_stand_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "paste.txt").write_text(SESSION)
    lines = SESSION.split("\n")
    for document in open_recording(tmp_path).documents:
        for number, line in enumerate(document.lines, 1):
            assert line in {"", lines[number - 1]}
    assert open_recording(tmp_path).documents[2].cite(9).excerpt == lines[8]


def test_nothing_but_prompts_is_lost() -> None:
    data = SESSION.encode()
    kept = "".join(decode(part_of(data, part)) for part in parts_of(SESSION.split("\n"))).split("\n")
    assert [line for line in SESSION.split("\n") if line and line not in kept] == [
        "$ kubectl get pods -n ml",
        "$ kubectl logs -n ml trainer-0 --previous | tail",
        "[root@gpu-7 ~]# dmesg -T | grep -i xid",
    ]


def test_what_stands_above_the_first_prompt_is_read_too() -> None:
    parts = parts_of(["Job 17 died tonight.", "user@head:~$ squeue", "JOBID"])
    assert [(part.command, part.first, part.last) for part in parts] == [("", 1, 1), ("squeue", 3, 3)]


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\n# kubectl get pods shows it\nkind: Pod\n",
        "It broke.\n> kubectl get pods said so\n",
        "$5 was paid\n# a heading\n",
        "2026-03-01 INFO $ echo done\n",
        "$ ./own-script.sh\nout\n",
    ],
)
def test_comments_quotations_and_prose_are_no_prompts(text: str) -> None:
    assert parts_of(text.split("\n")) == ()


@pytest.mark.parametrize(
    ("command", "kind", "labels"),
    [
        ("kubectl -n a describe pod web-0", Kind.KUBECTL_DESCRIBE, {"namespace": "a"}),
        ("kubectl get events --namespace=a --sort-by=.lastTimestamp", Kind.KUBE_EVENTS, {"namespace": "a"}),
        ("kubectl get pod web-0 -oyaml", Kind.KUBE_OBJECTS, {}),
        ("kubectl get nodes -o wide", Kind.KUBECTL_GET, {}),
        ("kubectl logs deploy/web -c app", Kind.CONTAINER_LOG, {"container": "app"}),
        ("sudo journalctl -k -b", Kind.JOURNAL, {}),
        ("cat /var/log/messages", None, {}),
        ("kubectl logs 'unclosed", Kind.CONTAINER_LOG, {"pod": "'unclosed"}),
        ("kubectl", None, {}),
    ],
)
def test_a_command_says_what_it_prints(command: str, kind: Kind | None, labels: dict[str, str]) -> None:
    assert meaning(command) == (kind, labels)


def test_a_file_whose_kind_was_said_is_not_cut(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(
        "id: c\nquestion: why?\nsources:\n- {path: raw/notes.txt, kind: operator_notes}\n"
    )
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "notes.txt").write_text(SESSION)
    assert len(open_recording(tmp_path).documents) == 1
