"""The tables of `firstfault.toml` for the gate and the executor: site policies, names of facts, who may approve."""

from datetime import datetime
from pathlib import Path

from pydantic import AwareDatetime, Field, field_validator

from firstfault.agent.settings.sections import Section
from firstfault.policies.actions import EXECUTABLE

_DEFAULT = "default"


class WindowSettings(Section):
    """A span of time; `nodes` narrows it to machines whose names begin so."""

    start: AwareDatetime
    """First moment, with a zone."""
    end: AwareDatetime
    """First moment after it."""
    nodes: str | None = None
    """Beginning of the names of the machines; none is all of them."""

    def span(self) -> tuple[datetime, datetime]:
        """Return start and end."""
        return self.start, self.end


class PolicySettings(Section):
    """The gate: a site's own policies, and where facts are written in this cluster."""

    site: Path | None = None
    """Folder of `*.cedar`; site policies may forbid and ask for approval, never permit."""
    limits_file: Path | None = None
    """File of `name = number`; hard limits can only be tightened."""
    protected_namespaces: tuple[str, ...] = ()
    """Namespaces whose pods automation never stops, besides those of Kubernetes itself."""
    pool_labels: tuple[str, ...] | None = None
    """Node labels that name the node pool, tried in order; an empty list says that there are no pools."""
    rack_labels: tuple[str, ...] | None = None
    """Node labels that name the rack."""
    switch_labels: tuple[str, ...] | None = None
    """Node labels that name the leaf switch."""
    checkpoint_annotation: str = "firstfault.dev/checkpoint-at"
    """Annotation of a pod or job with the time of its last checkpoint (RFC 3339)."""
    maintenance_leases: tuple[str, ...] | None = None
    """`namespace/name` of leases that keep a machine to one controller, `{node}` filled in; none is those of medik8s."""
    freezes: tuple[WindowSettings, ...] = ()
    """Spans in which nothing is executed but recovery."""
    planned_work: tuple[WindowSettings, ...] = ()
    """Spans of announced work; its machines are left alone."""


class ApproverSettings(Section):
    """Who may approve what. Nobody, until somebody is named."""

    groups: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """Name of a group → its people."""
    actions: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """Action, or `default` → people and `group:name`."""

    @field_validator("actions")
    @classmethod
    def _names_actions(cls, value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        known = {action.value for action in EXECUTABLE} | {_DEFAULT}
        if unknown := sorted(set(value) - known):
            msg = f"`{unknown[0]}` is not an executable action: use {', '.join(sorted(known))}"
            raise ValueError(msg)
        return value


class ExecutorSettings(Section):
    """`firstfault executor`: a process of its own, with its own database role and service account."""

    name: str | None = None
    """What it signs with; none is the name of the machine."""
    interval_s: float = Field(default=5.0, gt=0)
    """Seconds between two looks for approved decisions."""
    repairs: str = "nvsentinel"
    """Which controllers do resets, reboots and replacements: a profile of `repairs.toml` or of `repairs_file`."""
    repairs_file: Path | None = None
    """A site's own profiles."""
