"""From a metric to a report: a real Prometheus fires, a real Alertmanager posts, `firstfault serve` investigates.

Kubernetes and Loki are stand-ins on loopback. The time of each stage is printed.
"""

import json
import re
import subprocess
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import httpx
import pytest

from firstfault.agent.store import open_store
from firstfault.evals.sim.kube_api import ADMIN_TOKEN, KubeApi
from firstfault.evals.sim.recorded_http import RecordedServer
from tests.agent.executor.kit import kind, load_cluster, pod
from tests.live import journal_of, kubeconfig, settings_toml
from tests.serve_process import Serve
from tests.system.exporter import BROKEN, Exporter, history
from tests.system.programs import serving

pytestmark = [pytest.mark.system, pytest.mark.timeout(180)]
NODE, GPU = BROKEN
RULES = """groups:
- name: gpu
  interval: 1s
  rules:
  - alert: GpuXid
    expr: DCGM_FI_DEV_XID_ERRORS > 0
    labels: {severity: critical}
    annotations: {summary: "Xid {{ $value }} on GPU {{ $labels.gpu }} of {{ $labels.Hostname }}"}
"""
REPORTED = re.compile(r"(inc-\S+) (\S+) (\S+)")
TOKEN = "of-this-test"  # noqa: S105 - a test's own


@dataclass(frozen=True, kw_only=True)
class Site:
    """Everything that runs."""

    folder: Path
    exporter: Exporter
    serve: Serve
    prometheus: str


def prometheus_command(folder: Path, exporter: str) -> tuple[str, ...]:
    """Write configuration, rules and an hour of history; return the command."""
    (folder / "rules.yml").write_text(RULES)
    (folder / "prometheus.yml").write_text(
        f"""global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{folder / "rules.yml"}]
alerting:
  alertmanagers:
  - file_sd_configs: [{{files: ["{folder / "alertmanagers.json"}"], refresh_interval: 1s}}]
scrape_configs: [{{job_name: dcgm, static_configs: [{{targets: ["{exporter}"]}}]}}]
"""
    )
    metrics = folder / "history.txt"
    metrics.write_text(history(int(folder.stat().st_mtime), 3600, 30))
    subprocess.run(
        ["promtool", "tsdb", "create-blocks-from", "openmetrics", metrics, folder / "data"],  # noqa: S607 - Debian's
        check=True,
        capture_output=True,
        timeout=60,
    )
    return (
        "prometheus",
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        # What fires before Alertmanager is discovered is sent again at once.
        "--rules.alert.resend-delay=1s",
        "--web.listen-address=127.0.0.1:0",
    )


def alertmanager_command(folder: Path, serve: str) -> tuple[str, ...]:
    """Write the configuration that posts to `serve`; return the command."""
    (folder / "alertmanager.yml").write_text(
        f"""route: {{receiver: firstfault, group_by: [alertname], group_wait: 1s}}
receivers:
- name: firstfault
  webhook_configs:
  - url: {serve}/webhooks/alertmanager
    http_config: {{authorization: {{credentials: {TOKEN}}}}}
"""
    )
    return (
        "prometheus-alertmanager",
        f"--config.file={folder / 'alertmanager.yml'}",
        f"--storage.path={folder / 'alertmanager'}",
        "--cluster.listen-address=",
        "--web.listen-address=127.0.0.1:0",
    )


@pytest.fixture
def site(tmp_path: Path) -> Generator[Site]:
    """Give the whole site, with one machine that is about to lose a GPU."""
    with ExitStack() as stack:
        api = stack.enter_context(KubeApi())
        load_cluster(api)
        api.store.load(kind("Pod"), [pod("trainer-0", NODE)])
        now = datetime.fromtimestamp(tmp_path.stat().st_mtime, UTC)
        loki = stack.enter_context(RecordedServer(journal_of(NODE, now)))
        exporter = stack.enter_context(Exporter())
        command = prometheus_command(tmp_path, exporter.address)
        prometheus = stack.enter_context(serving(command, ready="Server is ready to receive web requests."))
        settings_toml(
            tmp_path,
            kube=kubeconfig(tmp_path, api.url, ADMIN_TOKEN),
            prometheus=prometheus,
            loki=loki.url,
        )
        environment = {"FIRSTFAULT_SERVE__WEBHOOK_TOKEN": TOKEN, "FIRSTFAULT_SERVE__PORT": "0"}
        serve = stack.enter_context(Serve(tmp_path, environment=environment))
        alertmanager = stack.enter_context(
            serving(alertmanager_command(tmp_path, serve.url), ready="Listening on")
        )
        file = tmp_path / "alertmanagers.json"
        (tmp_path / "new.json").write_text(json.dumps([{"targets": [alertmanager.removeprefix("http://")]}]))
        (tmp_path / "new.json").rename(file)
        yield Site(folder=tmp_path, exporter=exporter, serve=serve, prometheus=prometheus)
        assert api.writes == []


def test_an_alert_becomes_a_report(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    started = perf_counter()
    site.exporter.broken.set()
    incident_id, verdict, failure_class = site.serve.wait_for(REPORTED).groups()
    reported = perf_counter()
    page = httpx.get(
        f"{site.serve.url}/incidents/{incident_id}",
        headers={"Authorization": f"Bearer {TOKEN}"},
        trust_env=False,
        timeout=20,
    )
    assert page.status_code == httpx.codes.OK
    shown = perf_counter()
    with open_store(site.folder / "state" / "firstfault") as store:
        report = store.reports.get(incident_id)
        (alert, *_) = store.inbox.of(incident_id)
        (record,) = store.incidents.recent()
        received_s = (record.created_at - alert.starts_at).total_seconds()
    with capsys.disabled():
        print(f"\n  metric to alert received   {received_s:6.2f} s (since the alert began)")  # noqa: T201 - the point
        print(f"  metric to report           {reported - started:6.2f} s, of which 5 s wait for a storm")  # noqa: T201
        print(f"  page of the incident       {shown - reported:6.2f} s: {verdict} {failure_class}")  # noqa: T201
    assert failure_class == "gpu.fell_off_bus"
    assert report is not None
    paths = sorted({each.path for each in report.evidence})
    assert any(path.startswith("loki/") for path in paths), paths
    assert any(path.startswith(("alertmanager/", "prometheus/")) for path in paths), paths
    assert site.serve.stop() == 0
