"""The tables of `firstfault.toml`, each with its defaults: what is not set works on one machine, without any server."""

import ipaddress
from pathlib import Path
from string import Formatter
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from firstfault.tools.redaction import RedactionError, site_rules


class Section(BaseModel):
    """Base of all tables: unknown names are refused, values never change, errors do not show values."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def _http_url(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        msg = "a URL begins with `http://` or `https://`"
        raise ValueError(msg)
    return url.rstrip("/")


HttpUrl = Annotated[str, AfterValidator(_http_url)]
"""An address of a server, without a slash at the end."""

Headers = dict[str, SecretStr]
"""Headers sent with every request, for tenants and tokens; their values are secrets."""


class ServeSettings(Section):
    """`firstfault serve`. webhook_token: required where others than this machine can connect."""

    host: str = "127.0.0.1"
    port: int = Field(default=8321, ge=0, le=65_535)
    public_url: HttpUrl | None = None
    webhook_token: SecretStr | None = None

    @property
    def is_loopback(self) -> bool:
        """Return whether only this machine can connect."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


class KubernetesSettings(Section):
    """Which cluster is read. Without `kubeconfig` and `context` the usual rules of kubectl hold."""

    enabled: bool = False
    kubeconfig: Path | None = None
    context: str | None = None
    cluster: str | None = None
    namespaces: tuple[str, ...] = ()


class PrometheusSettings(Section):
    """A server that speaks the Prometheus API. headers: `X-Scope-OrgID` for Mimir and the like."""

    url: HttpUrl | None = None
    headers: Headers = Field(default_factory=dict[str, SecretStr])


class LokiSettings(Section):
    """A Loki server. tenant: sent as `X-Scope-OrgID`."""

    url: HttpUrl | None = None
    tenant: str | None = None
    headers: Headers = Field(default_factory=dict[str, SecretStr])


class SlackSettings(Section):
    """A Slack app in socket mode. Without `bot_token` there is no Slack."""

    bot_token: SecretStr | None = None
    app_token: SecretStr | None = None
    base_url: HttpUrl | None = None


LINK_FIELDS = frozenset(
    {
        "query",
        "start",
        "end",
        "cluster",
        "namespace",
        "node",
        "pod",
        "container",
        "kind",
        "name",
        "incident_id",
    }
)
"""What a link template may hold in braces."""


class LinksSettings(Section):
    """Templates of links that a human opens, with `{query}`, `{start}`, `{end}`, `{pod}` and what else fits."""

    grafana: str | None = None
    prometheus: str | None = None
    loki: str | None = None
    kubectl: str | None = None

    @field_validator("*")
    @classmethod
    def _knows_its_fields(cls, template: str | None) -> str | None:
        fields = {name for _, name, _, _ in Formatter().parse(template or "") if name is not None}
        if unknown := sorted(fields - LINK_FIELDS):
            msg = f"`{{{unknown[0]}}}` is not a field of links: use {', '.join(sorted(LINK_FIELDS))}"
            raise ValueError(msg)
        return template


class RetentionSettings(Section):
    """How long what belongs to closed incidents is kept. None: for ever. The audit is never pruned. Units: days."""

    evidence_days: int | None = Field(default=90, ge=1)
    stages_days: int | None = Field(default=14, ge=1)
    reports_days: int | None = Field(default=None, ge=1)


class RedactionSettings(Section):
    """A site's own secrets: a name and a regular expression each, besides those that are always redacted."""

    patterns: dict[str, str] = Field(default_factory=dict[str, str])

    @model_validator(mode="after")
    def _patterns_can_be_used(self) -> Self:
        try:
            site_rules(self.patterns)
        except RedactionError as error:
            raise ValueError(str(error)) from error
        return self
