"""Every case against every hostile model: no unsupported sentence, no verdict moved, no action added, budgets kept.

`make test` runs a sample; `make attacks` runs all of it. The counts stand under `figures` at the end of the run.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from firstfault.agent.model.budget import BudgetLimits
from firstfault.evals.attacks.findings import differences, findings_of, narrative_of
from firstfault.evals.sim.model_server import HOSTILE_MODES, ModelServer
from tests.rehearsals import Rehearsal, client, rehearsal_of

CASES = Path(__file__).parents[2] / "evals" / "cases"
SAMPLED_EVERY = 45
SLOW = ("slow_drip", "slow_headers")
LIMITS = BudgetLimits()
SHORT = BudgetLimits(seconds=0.3)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        step = 1 if metafunc.config.getoption("--attacks") else SAMPLED_EVERY
        cases = sorted(path.parent for path in CASES.glob("*/case.yaml"))[::step]
        metafunc.parametrize("case", cases, ids=[case.name for case in cases])


@pytest.mark.timeout(600)
def test_no_hostile_model_changes_a_finding(case: Path, tmp_path: Path, figure: Callable[..., None]) -> None:
    with rehearsal_of(case, tmp_path) as found:
        before = findings_of(found.finish(None))
        for mode in HOSTILE_MODES:
            _attack(found, mode, before, figure)


def _attack(found: Rehearsal, mode: str, before: dict[str, object], figure: Callable[..., None]) -> None:
    limits = SHORT if mode in SLOW else LIMITS
    with ModelServer(mode) as server:
        report = found.finish(client(server), limits)
        lies, requests = list(server.dialogue.lies), len(server.dialogue.bodies)
    said = narrative_of(report)
    assert not [lie for lie in lies if lie.rstrip(".") in said], mode
    assert not differences(before, findings_of(report)), mode
    assert report.model is not None
    assert requests <= report.model.calls <= limits.calls, mode
    assert report.model.prompt_tokens <= limits.prompt_tokens, mode
    assert report.model.seconds <= limits.seconds + 5, mode
    figure("hostile models: attacks tried")
    figure("hostile models: lies told", len(lies))
    figure("hostile models: sentences dropped", len(report.claims_dropped))
    figure("hostile models: lies believed", 0)
    figure(
        "hostile models: reports that say the model failed", any(gap.source == "model" for gap in report.gaps)
    )
