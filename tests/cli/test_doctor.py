"""`firstfault doctor` against stand-ins on loopback."""

import json
from pathlib import Path

import pytest

from firstfault.evals.sim.kube_api import KubeApi
from firstfault.evals.sim.kube_requests import User
from firstfault.evals.sim.recorded_http import Failure, RecordedServer
from firstfault.tools.kube.rights import NEEDED
from tests.cli.conftest import Run
from tests.live import journal_answer, kubeconfig, metrics_answer, settings_toml

READS = frozenset(access.name.partition(".")[0] for access in NEEDED)


def rows_of(run: Run) -> dict[str, list[tuple[str, str]]]:
    """Run the doctor and return its rows by part."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row in json.loads(run("doctor", "--json").stdout):
        found.setdefault(row["part"], []).append((row["state"], row["said"]))
    return found


def test_nothing_configured_fails_and_says_what_to_set(run: Run) -> None:
    shown = run("doctor")
    assert shown.exit_code == 1
    assert "kubernetes.enabled" in shown.stdout
    assert shown.stdout.startswith("warn  kernel log")


def test_a_whole_site_is_well(run: Run, tmp_path: Path) -> None:
    with (
        KubeApi(users={"t": User(name="reader", may=READS)}) as api,
        RecordedServer(metrics_answer) as prometheus,
        RecordedServer(journal_answer) as loki,
    ):
        settings_toml(
            tmp_path, kube=kubeconfig(tmp_path, api.url, "t"), prometheus=prometheus.url, loki=loki.url
        )
        shown = run("doctor")
        rows = rows_of(run)
        assert api.writes == []
    assert shown.exit_code == 0, shown.output
    assert rows["kernel log"][0][0] == "ok"
    assert rows["kubernetes reads"][0][0] == "ok"
    assert rows["kubernetes writes"][0][0] == "ok"
    assert rows["prometheus retention"] == [("ok", "15d (the default)")]
    assert rows["loki retention"] == [("ok", "744h")]
    assert any("node-exporter" in said for state, said in rows["prometheus"] if state == "warn")
    assert rows["loki clock"][0][0] == "ok"
    assert run("doctor", "--strict").exit_code == 1


@pytest.mark.parametrize(
    ("may", "part", "named"),
    [
        (frozenset({"* *"}), "kubernetes writes", "get secrets"),
        (frozenset({"* *"}), "kubernetes writes", "create pods/exec"),
        (frozenset({"list nodes"}), "kubernetes reads", "list pods"),
    ],
)
def test_wrong_rights_fail(run: Run, tmp_path: Path, may: frozenset[str], part: str, named: str) -> None:
    with KubeApi(users={"t": User(name="u", may=may)}) as api:
        settings_toml(tmp_path, kube=kubeconfig(tmp_path, api.url, "t"))
        rows = rows_of(run)
    ((state, said),) = rows[part]
    assert state == "fail"
    assert named in said


@pytest.mark.parametrize("failure", [Failure.DROP, Failure.CUT, Failure.WRONG_TYPE])
def test_a_server_that_fails_is_one_row_with_a_reason(run: Run, tmp_path: Path, failure: Failure) -> None:
    with (
        RecordedServer(metrics_answer, failure=failure) as prometheus,
        RecordedServer(journal_answer, failure=failure) as loki,
    ):
        settings_toml(tmp_path, prometheus=prometheus.url, loki=loki.url)
        rows = rows_of(run)
    for part in ("prometheus", "loki"):
        ((state, said),) = rows[part]
        assert state == "fail"
        assert "no usable answer" in said


def test_an_account_that_is_not_known_is_told(run: Run, tmp_path: Path) -> None:
    with KubeApi() as api:
        settings_toml(tmp_path, kube=kubeconfig(tmp_path, api.url, "stranger"))
        rows = rows_of(run)
    assert rows["kubernetes"][0][0] == "fail"
    assert "401" in rows["kubernetes"][0][1]
