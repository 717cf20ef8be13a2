"""A replay shows nothing after its time: evidence planted later changes nothing, whatever it says and wherever it is."""

import json
import random
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from firstfault.agent.report.contract import Report
from firstfault.cli.inquiry import Inquiry, investigate_recording
from firstfault.evals.cases import find_cases
from firstfault.evals.shadow.generator import generate
from firstfault.tools.recording import open_recording

CASES = Path(__file__).parents[2] / "evals" / "cases"
LOUD = (
    "{at} later-node kernel: NVRM: Xid (PCI:0000:af:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    "{at} later-node kernel: NVRM: Xid (PCI:0000:af:00): 95, pid=1, name=python3, Uncontained ECC error",
    "{at} later-node kernel: Out of memory: Killed process 4242 (python3) total-vm:1kB, anon-rss:1kB",
    "{at} later-node kernel: mlx5_core 0000:0c:00.0: Port module event: module 0, Cable unplugged",
    '{at} later-node kubelet[1]: E0101 00:00:00.000000 1 kubelet.go:1] "Node became not ready"',
)


def meaning(report: Report) -> dict[str, object]:
    """Return everything a report says, apart from digests of files (they differ by the planted bytes)."""
    first = report.first_fault
    return {
        "verdict": report.verdict,
        "diagnosis": report.diagnosis.model_dump(exclude={"evidence"}),
        "first_fault": first and first.model_dump(exclude={"evidence"}),
        "timeline": [entry.model_dump(exclude={"evidence"}) for entry in report.timeline],
        "hypotheses": [(h.failure_class, h.verdict, h.because, h.rank_key) for h in report.hypotheses],
        "recommendations": [part.model_dump(exclude={"evidence"}) for part in report.recommendations],
        "do_not": [(part.action, part.why) for part in report.do_not],
        "evidence": sorted((part.path, part.line_start, part.excerpt) for part in report.evidence),
    }


def seen(case: Path, as_of: datetime, state: Path) -> dict[str, object]:
    shutil.rmtree(state, ignore_errors=True)
    inquiry = Inquiry(now=as_of, as_of=as_of, incident_id="x")
    return meaning(investigate_recording(open_recording(case), inquiry, state=state))


def planted(case: Path, as_of: datetime, chance: random.Random, copy: Path) -> Path:
    """Return a copy of the case with loud lines after `as_of`: at the end of a raw file, and in a file of their own."""
    shutil.copytree(case, copy)
    times = sorted(as_of + timedelta(seconds=chance.uniform(1, 86400)) for _ in range(4))
    lines = "".join(chance.choice(LOUD).format(at=at.isoformat()) + "\n" for at in times)
    manifest = yaml.safe_load((copy / "case.yaml").read_text(encoding="utf-8"))
    own = next((s for s in manifest["sources"] if s["kind"] == "kernel_log" and chance.random() < 0.5), None)
    if own is not None and (copy / own["path"]).read_text(encoding="utf-8").endswith("\n"):
        with (copy / own["path"]).open("a", encoding="utf-8") as stream:
            stream.write(lines)
        return copy
    (copy / "raw" / "zz-later.log").write_text(lines, encoding="utf-8")
    manifest["sources"].append({"path": "raw/zz-later.log", "kind": "kernel_log", "complete": False})
    (copy / "case.yaml").write_text(json.dumps(manifest, default=str), encoding="utf-8")
    return copy


def stamped_cases() -> Iterator[tuple[Path, datetime]]:
    """Give our cases that know when they were opened, with that time."""
    for case in find_cases(CASES):
        opened_at = open_recording(case.folder).manifest.opened_at
        if opened_at is not None:
            yield case.folder, opened_at


@pytest.mark.parametrize("seed", range(4))
def test_planted_lines_never_change_an_earlier_report_of_a_made_up_incident(
    seed: int, tmp_path: Path
) -> None:
    chance = random.Random(seed)  # noqa: S311 - reproducible, no secrets
    (tmp_path / "h").mkdir()
    for incident in generate(tmp_path / "h", 3, seed):
        assert incident.alert_at is not None
        case = tmp_path / "h" / incident.id
        as_of = incident.alert_at + timedelta(seconds=chance.choice([-3600, 0, 300, 900, 3600]))
        before = seen(case, as_of, tmp_path / "state")
        later = planted(case, as_of, chance, tmp_path / f"planted-{incident.id}")
        assert seen(later, as_of, tmp_path / "state") == before


def test_before_the_fault_there_is_nothing_to_see(tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    generate(tmp_path / "h", 1, 3)
    report = seen(tmp_path / "h" / "gen-0000", datetime(2025, 1, 1, tzinfo=UTC), tmp_path / "state")
    assert (report["first_fault"], report["evidence"]) == (None, [])


def test_planted_lines_never_change_an_earlier_report_of_our_cases(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    found = list(stamped_cases())
    assert len(found) >= 10
    chance = random.Random(7)  # noqa: S311 - reproducible, no secrets
    chosen = found if request.config.getoption("--attacks") else chance.sample(found, 4)
    for case, as_of in chosen:
        before = seen(case, as_of, tmp_path / "state")
        later = planted(case, as_of, chance, tmp_path / case.name)
        assert seen(later, as_of, tmp_path / "state") == before, case.name
