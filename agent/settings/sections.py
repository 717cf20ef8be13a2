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
    """`firstfault serve`: the receiver of alerts and the pages of incidents."""

    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = Field(default=8321, ge=0, le=65_535)
    """0 takes any free port."""
    public_url: HttpUrl | None = None
    """Where people reach the pages; links in messages begin with it."""
    webhook_token: SecretStr | None = None
    """What senders of alerts must show; required where others than this machine can connect."""
    score_every_s: float = Field(default=900.0, ge=0)
    """How often promoted cells are scored again on what is known by then; one that got worse goes back. 0: never."""

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
    """Read the cluster."""
    kubeconfig: Path | None = None
    """File with the credentials; inside a cluster none is needed."""
    context: str | None = None
    """Context of the kubeconfig."""
    cluster: str | None = None
    """What the cluster is called in reports."""
    namespaces: tuple[str, ...] = ()
    """Only these namespaces; empty means all that may be read."""
    snapshot_every_s: int = Field(default=600, ge=0)
    """How often `firstfault serve` notes what all machines look like; 0 never does."""


class PrometheusSettings(Section):
    """A server that speaks the Prometheus API: Prometheus, Mimir, Thanos, VictoriaMetrics."""

    url: HttpUrl | None = None
    """Address, with the path prefix if there is one."""
    headers: Headers = Field(default_factory=dict[str, SecretStr])
    """Sent with every request, e.g. `X-Scope-OrgID`; values are secrets."""


class AlertmanagerSettings(Section):
    """The Alertmanager whose silences are noted; alerts come to `firstfault serve` by themselves."""

    url: HttpUrl | None = None
    """Address, with the path prefix if there is one."""
    headers: Headers = Field(default_factory=dict[str, SecretStr])
    """Sent with every request; values are secrets."""


class LokiSettings(Section):
    """A Loki server."""

    url: HttpUrl | None = None
    """Address."""
    tenant: str | None = None
    """Sent as `X-Scope-OrgID`."""
    headers: Headers = Field(default_factory=dict[str, SecretStr])
    """Sent with every request; values are secrets."""


class AuditLogSettings(Section):
    """The audit log of the API server: who changed what. Request bodies are never kept."""

    file: Path | None = None
    """File that the API server writes, one record a line; with `receive`, where they are kept (none: in the state folder)."""
    receive: bool = False
    """Take what an audit webhook posts to `/webhooks/audit` of `firstfault serve`."""


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
    """A dashboard or an explore page."""
    prometheus: str | None = None
    """A graph of `{query}`."""
    loki: str | None = None
    """The lines that `{query}` finds."""
    kubectl: str | None = None
    """A command that shows `{kind}` `{name}`."""

    @field_validator("*")
    @classmethod
    def _knows_its_fields(cls, template: str | None) -> str | None:
        fields = {name for _, name, _, _ in Formatter().parse(template or "") if name is not None}
        if unknown := sorted(fields - LINK_FIELDS):
            msg = f"`{{{unknown[0]}}}` is not a field of links: use {', '.join(sorted(LINK_FIELDS))}"
            raise ValueError(msg)
        return template


class RetentionSettings(Section):
    """How many days `firstfault db prune` keeps what closed incidents left, and snapshots. None: for ever. The audit stays."""

    evidence_days: int | None = Field(default=90, ge=1)
    """Documents, and what was looked at."""
    stages_days: int | None = Field(default=14, ge=1)
    """What the stages of an investigation made."""
    reports_days: int | None = Field(default=None, ge=1)
    """Published reports."""
    snapshots_days: int | None = Field(default=30, ge=1)
    """What machines looked like: labels, versions, conditions."""


class RedactionSettings(Section):
    """A site's own secrets, besides those that are always redacted."""

    patterns: dict[str, str] = Field(default_factory=dict[str, str])
    """A name and a regular expression each; what matches becomes `‹redacted:name›`."""

    @model_validator(mode="after")
    def _patterns_can_be_used(self) -> Self:
        try:
            site_rules(self.patterns)
        except RedactionError as error:
            raise ValueError(str(error)) from error
        return self
