"""`firstfault explain`."""

import json
from pathlib import Path

from firstfault.agent.store import Store
from tests.agent.store.samples import AT, incident
from tests.cli.conftest import Run

LOG = (
    "2026-03-01T03:00:00Z node-1 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=python, "
    "GPU has fallen off the bus. token=ghp_0123456789abcdefghijABCDEFGHIJ012345\n"
)


def _recorded(folder: Path) -> Path:
    path = folder / "kernel.log"
    path.write_text(LOG, encoding="utf-8")
    return path


def test_a_recording_is_explained_without_leaving_anything_behind(
    run: Run, tmp_path: Path, state: Path
) -> None:
    found = run("explain", _recorded(tmp_path))
    assert found.exit_code == 0
    assert found.stdout.startswith("gpu.fell_off_bus is the diagnosis, LIKELY")
    assert "kernel.log:1  xid.79" in found.stdout
    assert "ghp_0123456789" not in found.stdout
    assert not state.exists()


def test_an_incident_is_explained_as_it_was_investigated(run: Run, tmp_path: Path) -> None:
    path = _recorded(tmp_path)
    assert run("investigate", path, "--incident-id", "inc-7").exit_code == 0
    path.unlink()
    told = json.loads(run("explain", "inc-7", "--why-not", "gpu.fell_off_bus", "--json").stdout)
    assert (told["failure_class"], told["is_diagnosis"]) == ("gpu.fell_off_bus", True)
    other = run("explain", "inc-7", "--why-not", "gpu.thermal").stdout
    assert other.startswith("gpu.thermal is not the diagnosis: nothing that it looks for was seen.")


def test_what_cannot_be_explained_is_said_in_one_line(run: Run, tmp_path: Path, store: Store) -> None:
    assert "there is no incident `nobody`" in run("explain", "nobody").stderr
    store.incidents.open(incident("inc-1"), AT)
    unfinished = run("explain", "inc-1")
    assert (unfinished.exit_code, unfinished.stderr) == (
        2,
        "firstfault: `inc-1` has no finished run: investigate it again\n",
    )
    wrong = run("explain", _recorded(tmp_path), "--why", "gpu.off_bus")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "there is gpu.fell_off_bus" in wrong.stderr
    assert run("explain", tmp_path, "--why", "a", "--why-not", "b").exit_code == 2
