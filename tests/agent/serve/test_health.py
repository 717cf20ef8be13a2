"""Readiness is whether alerts can be kept; how the rest stands is told and changes nothing."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from firstfault.agent.serve.health import Health, SourceNews, store_health
from firstfault.agent.serve.reception import Reception
from firstfault.agent.serve.web import Front, make_app
from firstfault.agent.store import Store, UnreachableError, open_store
from firstfault.agent.store.database import Database
from tests import reports
from tests.agent.serve.test_dispatch import alerts

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


def client_of(store: Store, health: Health) -> TestClient:
    """Return a client of a process in this health."""
    reception = Reception(store=store, token=None, clock=lambda: NOW, arrived=lambda: None)
    return TestClient(make_app(Front(reception=reception, readiness=lambda: health, metrics=lambda: "")))


def test_a_source_that_does_not_answer_does_not_make_it_unready(tmp_path: Path) -> None:
    parts = {"database": "ok", "source loki": "no answer"}
    with open_store(tmp_path) as store, client_of(store, Health(is_ready=True, parts=parts)) as client:
        answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == parts


def test_alerts_that_wait_are_told(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        assert store_health(store, NOW).parts == {"database": "ok", "inbox": "ok"}
        store.inbox.receive(alerts(3), NOW)
        assert store_health(store, NOW).parts["inbox"] == "3 alerts wait for an incident"


def test_a_database_that_takes_nothing_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Database) -> None:
        msg = "the database does not answer"
        raise UnreachableError(msg)

    with open_store(tmp_path) as store:
        monkeypatch.setattr(Database, "writing", refuse)
        health = store_health(store, NOW)
        with client_of(store, health) as client:
            answer = client.get("/readyz")
    assert not health.is_ready
    assert answer.status_code == 503
    assert answer.json()["database"] == "the database does not answer"


def test_sources_stand_as_the_last_investigation_found_them() -> None:
    news = SourceNews(names=("kubernetes", "loki"))
    assert "not asked yet" in news.parts["source loki"]
    gap = {"source": "kubernetes:lab", "entity": None, "why": "401", "would_tell": "objects"}
    news.heard(reports.report(gaps=[gap]), NOW)
    assert news.parts["source kubernetes"].endswith("at 2026-11-30T06:00:00Z: 401")
    assert news.parts["source loki"].startswith("ok in ")


def test_audit_records_are_taken_only_where_that_is_wanted_and_with_the_token(tmp_path: Path) -> None:
    kept: list[bytes] = []

    def audit(body: bytes) -> int:
        kept.append(body)
        return 1

    with open_store(tmp_path) as store:
        reception = Reception(store=store, token="t", clock=lambda: NOW, arrived=lambda: None)  # noqa: S106 - no secret
        front = Front(
            reception=reception,
            readiness=lambda: Health(is_ready=True, parts={}),
            metrics=lambda: "",
            audit=audit,
        )
        with TestClient(make_app(front)) as client:
            assert client.post("/webhooks/audit", content=b"{}").status_code == 401
            headers = {"authorization": "Bearer t"}
            assert client.post("/webhooks/audit", content=b"{}", headers=headers).json() == {"kept": 1}
        with client_of(store, Health(is_ready=True, parts={})) as client:
            assert client.post("/webhooks/audit", content=b"{}").status_code == 404
    assert kept == [b"{}"]
