"""The installed Prometheus and Alertmanager answer in the shapes that tests/formats holds."""

import json
from pathlib import Path

import httpx
import pytest
from pydantic import JsonValue

from tests.system.programs import serving

pytestmark = pytest.mark.system

FORMATS = Path(__file__).resolve().parents[1] / "formats" / "prometheus_2.42"


def test_prometheus_answers_as_captured(tmp_path: Path) -> None:
    config = tmp_path / "prometheus.yml"
    config.write_text("global: {}\n")
    command = (
        "prometheus",
        f"--config.file={config}",
        f"--storage.tsdb.path={tmp_path / 'data'}",
        "--web.listen-address=127.0.0.1:0",
    )
    with serving(command, ready="Server is ready to receive web requests.") as address:
        empty = _get(f"{address}/api/v1/query?query=DCGM_FI_DEV_XID_ERRORS")
        scalar = _get(f"{address}/api/v1/query?query=1")
    assert empty == json.loads((FORMATS / "instant_empty.json").read_text())
    assert _shape(scalar) == _shape(json.loads((FORMATS / "instant_scalar.json").read_text()))


def test_alertmanager_answers_as_captured(tmp_path: Path) -> None:
    config = tmp_path / "alertmanager.yml"
    config.write_text("route: {receiver: none}\nreceivers: [{name: none}]\n")
    command = (
        "prometheus-alertmanager",
        f"--config.file={config}",
        f"--storage.path={tmp_path / 'data'}",
        "--cluster.listen-address=",
        "--web.listen-address=127.0.0.1:0",
    )
    with serving(command, ready="Listening on") as address:
        assert _get(f"{address}/api/v2/alerts") == []


def _get(url: str) -> JsonValue:
    return httpx.get(url, timeout=10, trust_env=False).json()


def _shape(value: JsonValue) -> JsonValue:
    """Return the value with every leaf replaced by its type's name."""
    if isinstance(value, dict):
        return {key: _shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_shape(each) for each in value]
    return type(value).__name__
