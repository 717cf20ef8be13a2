"""The composition root of the model: settings to a client, a recording of one, or a cassette; none when none is named.

`openai` is imported here and only when a model is really asked, so that the deterministic path never loads it.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from firstfault.agent.model.budget import BudgetLimits
from firstfault.agent.model.cassette import RecordingModel, open_cassette
from firstfault.agent.model.port import ModelPort
from firstfault.agent.model.settings import ModelSettings

if TYPE_CHECKING:
    from firstfault.agent.model.client import OpenAIModel


class NoModelError(Exception):
    """A model is needed for what was asked, and none is configured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """The model of a run, if any, and what it may use."""

    model: ModelPort | None = None
    limits: BudgetLimits = field(default_factory=BudgetLimits)


def load_thinking(
    settings: ModelSettings,
    redact: Callable[[str], str],
    *,
    record: Path | None = None,
    replay: Path | None = None,
) -> Thinking:
    """Return what thinks along: the configured model, recorded into `record`, or the cassette `replay` in its place.

    Raises NoModelError when `record` is asked for without a model, CassetteError when a file cannot be used.
    """
    limits = settings.budget.limits()
    if replay is not None:
        return Thinking(model=open_cassette(replay), limits=limits)
    if settings.name is None:
        if record is not None:
            msg = "there is no model to record: set `FIRSTFAULT_MODEL__NAME`"
            raise NoModelError(msg)
        return Thinking(limits=limits)
    model = client_of(settings, redact)
    return Thinking(
        model=model if record is None else RecordingModel(inner=model, path=record), limits=limits
    )


def client_of(settings: ModelSettings, redact: Callable[[str], str]) -> "OpenAIModel":
    """Return a client for `settings`; `redact` is applied to everything that leaves."""
    from firstfault.agent.model.client import OpenAIModel

    chance = random.SystemRandom().random
    return OpenAIModel(settings=settings, redact=redact, clock=time.monotonic, chance=chance)
