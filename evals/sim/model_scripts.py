"""All scripted models by name."""

from collections.abc import Mapping

from firstfault.evals.sim.bad_models import (
    endless_reads,
    fishing,
    forbidden_reads,
    hallucinating,
    malformed,
    nested,
    obedient,
    odd_characters,
    over_claiming,
    wrong_schema,
    wrong_types,
)
from firstfault.evals.sim.good_model import good
from firstfault.evals.sim.sayings import Script

SCRIPTS: Mapping[str, Script] = {
    "good": good,
    "hallucinating": hallucinating,
    "over_claiming": over_claiming,
    "obedient": obedient,
    "endless_reads": endless_reads,
    "fishing": fishing,
    "forbidden_reads": forbidden_reads,
    "wrong_schema": wrong_schema,
    "wrong_types": wrong_types,
    "malformed": malformed,
    "nested": nested,
    "odd_characters": odd_characters,
}
"""What is said over a transport that works."""
