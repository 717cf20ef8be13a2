"""What a deliberation costs: tokens per incident with a good model, over all cases, counted with the o200k vocabulary."""

import json
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest

from firstfault.agent.deliberation.schema import output_schema
from firstfault.agent.model.prompts import load_prompt
from firstfault.evals.attacks.findings import differences, findings_of
from firstfault.evals.sim.model_server import ModelServer
from tests.rehearsals import client, rehearsal_of
from tests.vocabulary import tokens

CASES = Path(__file__).parents[2] / "evals" / "cases"
SAMPLED_EVERY = 12
FIXED_LIMIT, MEDIAN_LIMIT, P95_LIMIT = 3_000, 12_000, 40_000


def test_prompt_and_schema_are_short(figure: Callable[..., None]) -> None:
    fixed = tokens(load_prompt("deliberate").text) + tokens(json.dumps(output_schema().schema))
    figure("tokens: fixed prompt and schemas", fixed)
    assert fixed <= FIXED_LIMIT


@pytest.mark.timeout(1_800)
def test_incidents_are_cheap(
    tmp_path: Path, request: pytest.FixtureRequest, figure: Callable[..., None]
) -> None:
    step = 1 if request.config.getoption("--attacks") else SAMPLED_EVERY
    totals: list[int] = []
    for case in sorted(path.parent for path in CASES.glob("*/case.yaml"))[::step]:
        with rehearsal_of(case, tmp_path / case.name) as found, ModelServer("good", count=tokens) as server:
            report = found.finish(client(server))
            assert not differences(findings_of(found.finish(None)), findings_of(report))
        assert report.model is not None
        totals.append(report.model.prompt_tokens + report.model.completion_tokens)
        figure("good model: sentences kept", report.diagnosis.summary.count("[ev-"))
        figure("good model: sentences dropped", len(report.claims_dropped))
    ordered = sorted(totals)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    figure("tokens: incidents", len(ordered))
    figure("tokens: median", statistics.median(ordered))
    figure("tokens: p95", p95)
    figure("tokens: most", ordered[-1])
    assert statistics.median(ordered) <= MEDIAN_LIMIT
    assert p95 <= P95_LIMIT
