"""What Prometheus answers about the GPUs: one series each, in the shape of the DCGM exporter."""

import json
from collections.abc import Iterator
from datetime import timedelta

from firstfault.evals.sim.headline.faults import Root, Story
from firstfault.evals.sim.headline.site import GPUS, STUCK_AT

STEP_S = 60
FROM_S, TO_S = -900, 720
"""The range that is asked for, about the moment when the ranks got stuck."""
QUERIES = ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_XID_ERRORS")


def answer(story: Story, metric: str) -> str:
    """Return the answer of `query_range` to one metric."""
    rows = ",".join(json.dumps(series, separators=(",", ":")) for series in _series(story, metric))
    return f'{{"status":"success","data":{{"resultType":"matrix","result":[{rows}]}}}}\n'


def _series(story: Story, metric: str) -> Iterator[dict[str, object]]:
    moments = [int((STUCK_AT + timedelta(seconds=each)).timestamp()) for each in range(FROM_S, TO_S, STEP_S)]
    stuck = int(STUCK_AT.timestamp())
    for rank in range(story.site.ranks):
        machine, gpu = story.site.machine_of(rank), rank % GPUS
        yield {
            "metric": {
                "__name__": metric,
                "Hostname": machine.name,
                "gpu": str(gpu),
                "device": f"nvidia{gpu}",
                "modelName": "NVIDIA H100 80GB HBM3",
                "pod": machine.pod,
                "namespace": "pretrain",
            },
            "values": [
                [at, value]
                for at in moments
                if (value := _value(story, metric, rank, at - stuck)) is not None
            ],
        }


def _value(story: Story, metric: str, rank: int, since_s: int) -> str | None:
    """Return the value of one GPU, None when it does not answer. A GPU that waits in a collective is busy."""
    is_culprit = rank == story.rank and since_s >= 0
    if is_culprit and story.root is Root.OFF_BUS:
        return None
    if metric == "DCGM_FI_DEV_XID_ERRORS":
        return "74" if is_culprit and story.root is Root.NVLINK else "0"
    if is_culprit or since_s > TO_S - 2 * STEP_S:
        return "0"
    return str(100 if since_s >= 0 else 96 + (rank + since_s) % 4)
