"""How a model is reached and what it may cost: the `model` table of the settings (`FIRSTFAULT_MODEL__…`)."""

from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from firstfault.agent.model.budget import BudgetLimits
from firstfault.agent.model.port import Price


class PriceSettings(BaseModel):
    """US dollars per million tokens; see `Price`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)


class BudgetSettings(BaseModel):
    """Limits per incident; see `BudgetLimits`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    calls: int = Field(default=8, ge=1, le=50)
    """Requests to the model."""
    prompt_tokens: int = Field(default=40_000, ge=1_000)
    """Tokens sent."""
    completion_tokens: int = Field(default=8_000, ge=100)
    """Tokens received."""
    seconds: float = Field(default=90.0, gt=0, le=600)
    """Time that all requests take together."""
    cost_usd: float | None = Field(default=1.0, gt=0)
    """US dollars; enforced where the price of the model is known."""

    def limits(self) -> BudgetLimits:
        """Return the limits as the deliberation takes them."""
        return BudgetLimits(
            calls=self.calls,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            seconds=self.seconds,
            cost_usd=self.cost_usd,
        )


class ModelSettings(BaseModel):
    """Any server that speaks OpenAI chat completions: OpenAI, Azure, vLLM, llama.cpp, Ollama, a LiteLLM proxy.

    No `name` means no model. `api_version` selects the Azure client (`base_url` is then the Azure endpoint).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    name: str | None = None
    """Name of the model as its server knows it; none is no model."""
    base_url: str = "https://api.openai.com/v1"
    """Address of the server, up to and with the version."""
    api_key: SecretStr | None = None
    """Key that the server asks for; servers without one need none."""
    api_key_file: Path | None = None
    """File with the key, in its place."""
    api_version: str | None = None
    """API version of Azure OpenAI."""
    structured: Literal["auto", "json_schema", "json_object", "text"] = "auto"
    """How the form of the answer is asked for; `auto` tries the strictest that the server takes."""
    seed: int | None = 20_240_229
    """Sent with every request, so that answers repeat where the server can."""
    retries: int = Field(default=2, ge=0, le=5)
    """How often a request that failed for a passing reason is sent again."""
    prices: dict[str, PriceSettings] = Field(default_factory=dict[str, PriceSettings])
    """Price by model name; a model without a price has unknown cost."""
    budget: BudgetSettings = Field(default_factory=BudgetSettings)

    @model_validator(mode="after")
    def _one_key(self) -> Self:
        if self.api_key is not None and self.api_key_file is not None:
            msg = "give `api_key` or `api_key_file`, not both"
            raise ValueError(msg)
        return self

    @property
    def shown_address(self) -> str:
        """Return the base URL without a user, a password or a query that someone put into it."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def price(self) -> Price | None:
        """Return the price of the model in use, if known."""
        found = self.prices.get(self.name or "")
        return (
            None
            if found is None
            else Price(prompt=found.prompt, completion=found.completion, cached=found.cached)
        )

    def key(self) -> str:
        """Return the API key; servers without one get a placeholder, because the client demands some text.

        Raises OSError when the key file cannot be read.
        """
        if self.api_key_file is not None:
            return self.api_key_file.read_text(encoding="utf-8").strip()
        return self.api_key.get_secret_value() if self.api_key is not None else "none"
