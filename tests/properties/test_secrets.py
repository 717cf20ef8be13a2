"""Secrets of every kind, planted in every kind of source: they leave in no request, report, page, trail or log line."""

import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from firstfault.agent.deliberation.desk import Desk
from firstfault.agent.deliberation.lines import lines_of
from firstfault.agent.graph.thinker import view_of
from firstfault.agent.grounding.claims import ClosedSets
from firstfault.agent.render.html import render as html
from firstfault.agent.report.contract import Report
from firstfault.agent.slack.blocks.answers import follow_up
from firstfault.agent.slack.blocks.card import card
from firstfault.agent.slack.blocks.details import details
from firstfault.agent.slack.blocks.modals import evidence
from firstfault.agent.slack.blocks.view import View
from firstfault.agent.slack.standing import Standing
from firstfault.evals.sim.model_server import ModelServer
from tests.rehearsals import Rehearsal, client, rehearsal_of
from tests.tools.redaction.samples import SECRETS

MODES = ("good", "obedient", "fishing", "forbidden_reads")
TEXTS = [around.replace("@", secret, 1) for _, around, secret in SECRETS]
LINES = sorted({line for _, _, secret in SECRETS for line in secret.split("\n") if len(line) >= 6}, key=len)


def _logged(start: str) -> str:
    return "".join(f"{start} error: {text}\n" for text in TEXTS)


def _objects() -> str:
    variables = [{"name": f"V{n}", "value": text} for n, text in enumerate(TEXTS)]
    container = {"name": "main", "image": "registry.local/x:1", "env": variables, "args": TEXTS}
    annotations = {f"a/{n}": text for n, text in enumerate(TEXTS)}
    metadata = {"name": "trainer-0", "namespace": "train", "annotations": annotations}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod]}, indent=1)


def _events() -> str:
    def event(number: int, text: str) -> dict[str, object]:
        involved = {"kind": "Pod", "name": "trainer-0", "namespace": "train"}
        metadata = {"name": f"e{number}", "namespace": "train"}
        return {
            "kind": "Event",
            "metadata": metadata,
            "involvedObject": involved,
            "reason": "Failed",
            "message": text,
        }

    items = [event(number, text) for number, text in enumerate(TEXTS)]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=1)


def _alerts() -> str:
    alerts = [
        {
            "status": "firing",
            "labels": {"alertname": f"A{n}"},
            "annotations": {"summary": text},
            "fingerprint": f"{n:016x}",
        }
        for n, text in enumerate(TEXTS)
    ]
    return json.dumps({"version": "4", "status": "firing", "alerts": alerts}, indent=1)


FILES: dict[str, Callable[[], str]] = {
    "kernel_log": lambda: _logged("[  812.100000] app:"),
    "container_log": lambda: _logged("2026-03-01T03:00:01Z"),
    "kubelet_log": lambda: _logged("E0301 03:00:01.000000 1 pod.go:12]"),
    "runtime_log": lambda: _logged('time="2026-03-01T03:00:01Z" level=error'),
    "syslog": lambda: _logged("Mar  1 03:00:01 gpu-n7 app[1]:"),
    "application_log": lambda: "".join(f"{text}\n" for text in TEXTS),
    "kubectl_describe": lambda: "Name: trainer-0\n" + _logged("    Environment:"),
    "kube_objects": _objects,
    "kube_events": _events,
    "alerts": _alerts,
    "change_log": lambda: _logged("2026-02-28T17:00:00Z commit 1111111 mallory:"),
    "operator_notes": lambda: _logged("03:07 bob:"),
    "nvidia_smi": lambda: _logged(""),
    "audit_log": lambda: "".join(
        json.dumps({"kind": "Event", "verb": "get", "requestURI": t}) + "\n" for t in TEXTS
    ),
}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "raw").mkdir()
    for kind, text in FILES.items():
        (folder / "raw" / f"{kind}.txt").write_text(text(), encoding="utf-8")
    manifest = {
        "id": "secrets",
        "question": f"It fails with {TEXTS[0]} and {TEXTS[-1]}, why?",
        "sources": [{"path": f"raw/{kind}.txt", "kind": kind} for kind in FILES],
    }
    (folder / "case.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def _leaked(text: str) -> list[str]:
    return [line for line in LINES if line in text]


def _trail(found: Rehearsal) -> str:
    return "\n".join(f"{event.why} {event.payload}" for event in found.workshop.store.audit.events())


def _in_slack(report: Report) -> str:
    """Return what is posted of a report, and what a click shows of it, as JSON."""
    view = View(report=report, standing=Standing(version=1), with_shadow=True)
    shown = [card(view), details(view), evidence(view), follow_up(view, None, "")]
    return json.dumps(shown, ensure_ascii=False)


@pytest.mark.timeout(300)
def test_no_secret_leaves(
    case: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, figure: Callable[..., None]
) -> None:
    caplog.set_level(logging.DEBUG)
    assert len({kind for kind, *_ in SECRETS}) >= 40
    with rehearsal_of(case, tmp_path) as found:
        for mode in MODES:
            with ModelServer(mode) as server:
                report = found.finish(client(server))
            requests = [json.loads(body) for body in server.dialogue.bodies]
            sent = "\n".join(str(m["content"]) for request in requests for m in request["messages"])
            assert requests
            assert not _leaked(sent), mode
            assert not _leaked(report.model_dump_json()), mode
            assert not _leaked(html(report)), mode
            assert not _leaked(_in_slack(report)), mode
        assert not _leaked(_trail(found))
    assert not _leaked(caplog.text)
    figure("secrets: kinds planted", len({kind for kind, *_ in SECRETS}))
    figure("secrets: planted", len(SECRETS) * len(FILES))


def test_no_line_of_any_document_shows_one(case: Path, tmp_path: Path) -> None:
    with rehearsal_of(case, tmp_path) as found:
        desk = Desk(view=view_of(found.workshop, found.before, ClosedSets()))
        for document in desk.view.documents:
            shown = "\n".join(desk.line(document.cite(number)) for number, _ in lines_of(document))
            assert not _leaked(shown), document.path
