"""The composition root of the model: settings to a client, a recording of one, or a cassette; none when none is named.

`openai` is imported here and only when a model is really asked, so that the deterministic path never loads it.
"""

import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from firstfault.agent.model.budget import BudgetLimits
from firstfault.agent.model.cassette import RecordingModel, open_cassette
from firstfault.agent.model.port import ModelPort
from firstfault.agent.model.settings import ModelSettings
from firstfault.tools.redaction import redact

if TYPE_CHECKING:
    from firstfault.agent.model.client import OpenAIModel

SETTINGS_FILE = "firstfault.toml"


class ModelSetupError(Exception):
    """The model's settings cannot be used; the message names the setting."""


class _Environment(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="FIRSTFAULT_", env_nested_delimiter="__", toml_file=SETTINGS_FILE, extra="ignore"
    )

    model: ModelSettings = ModelSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """The model of a run, if any, and what it may use."""

    model: ModelPort | None = None
    limits: BudgetLimits = field(default_factory=BudgetLimits)


def model_settings() -> ModelSettings:
    """Return the model table of the settings. Raises ModelSetupError, without the values that were given."""
    try:
        return _Environment().model
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        msg = f"the setting `{where}` cannot be used: {first['msg']}"
        raise ModelSetupError(msg) from error


def load_thinking(*, record: Path | None = None, replay: Path | None = None) -> Thinking:
    """Return what thinks along: the configured model, recorded into `record`, or the cassette `replay` in its place.

    Raises ModelSetupError when `record` is asked for without a model, CassetteError when a file cannot be used.
    """
    settings = model_settings()
    limits = settings.budget.limits()
    if replay is not None:
        return Thinking(model=open_cassette(replay), limits=limits)
    if settings.name is None:
        if record is not None:
            msg = "there is no model to record: set `FIRSTFAULT_MODEL__NAME`"
            raise ModelSetupError(msg)
        return Thinking(limits=limits)
    model = client_of(settings)
    return Thinking(
        model=model if record is None else RecordingModel(inner=model, path=record), limits=limits
    )


def client_of(settings: ModelSettings) -> "OpenAIModel":
    """Return a client for `settings`."""
    from firstfault.agent.model.client import OpenAIModel

    chance = random.SystemRandom().random
    return OpenAIModel(settings=settings, redact=redact, clock=time.monotonic, chance=chance)
