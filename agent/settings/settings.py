"""All settings together: `firstfault.toml`, overridden by the environment (`FIRSTFAULT_…`, `__` between levels)."""

from pathlib import Path

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from firstfault.agent.model.settings import ModelSettings
from firstfault.agent.settings.chat_sections import MessageSettings, SlackSettings
from firstfault.agent.settings.gate_sections import ApproverSettings, ExecutorSettings, PolicySettings
from firstfault.agent.settings.sections import (
    AlertmanagerSettings,
    AuditLogSettings,
    KubernetesSettings,
    LinksSettings,
    LokiSettings,
    PrometheusSettings,
    RedactionSettings,
    RetentionSettings,
    ServeSettings,
)

PREFIX = "FIRSTFAULT_"
LEVEL = "__"


class Settings(BaseSettings):
    """What does not belong to one part."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter=LEVEL,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    database_url: SecretStr | None = None
    """`sqlite:///FILE` or `postgresql://USER@HOST/NAME`; none is a SQLite file in the state folder."""
    signing_key_file: Path | None = None
    """File with the key that signs the audit's head and approvals; none is a file in the state folder."""
    kill_switch: bool = False
    """Stops every execution; any word but `off`, `no`, `false` or `0` is on."""
    limits: dict[str, int] = Field(default_factory=dict[str, int])
    """Limits of the policy gate by name, see `docs/limits.md`; they can only be tightened."""
    model: ModelSettings = Field(default_factory=ModelSettings)
    serve: ServeSettings = Field(default_factory=ServeSettings)
    kubernetes: KubernetesSettings = Field(default_factory=KubernetesSettings)
    prometheus: PrometheusSettings = Field(default_factory=PrometheusSettings)
    alertmanager: AlertmanagerSettings = Field(default_factory=AlertmanagerSettings)
    loki: LokiSettings = Field(default_factory=LokiSettings)
    audit_log: AuditLogSettings = Field(default_factory=AuditLogSettings)
    slack: SlackSettings = Field(default_factory=SlackSettings)
    messages: MessageSettings = Field(default_factory=MessageSettings)
    links: LinksSettings = Field(default_factory=LinksSettings)
    policy: PolicySettings = Field(default_factory=PolicySettings)
    approvers: ApproverSettings = Field(default_factory=ApproverSettings)
    executor: ExecutorSettings = Field(default_factory=ExecutorSettings)
    retention: RetentionSettings = Field(default_factory=RetentionSettings)
    redaction: RedactionSettings = Field(default_factory=RedactionSettings)

    @field_validator("kill_switch", mode="before")
    @classmethod
    def _anything_else_is_on(cls, value: object) -> object:
        """Return False for the words for off, True for everything else: a switch that was meant is never missed."""
        return (
            value
            if isinstance(value, bool)
            else str(value).strip().lower() not in {"", "0", "false", "no", "off"}
        )

    @property
    def address(self) -> str | None:
        """Return the database URL, with its password."""
        return None if self.database_url is None else self.database_url.get_secret_value()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources, the strongest first: the environment, then what the file gave."""
        del settings_cls, dotenv_settings, file_secret_settings
        return env_settings, init_settings
