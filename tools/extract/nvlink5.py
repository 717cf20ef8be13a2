"""Decodes the registers of NVLink 5 Xids, in the layout of the driver that printed them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from firstfault.tools.catalogs.nvlink5 import LAYOUT_CHANGED_AT, Layout, Rule, link_down_reason, nvlink5_rules
from firstfault.tools.signals import Value

_LINK_DOWN_UNITS = frozenset({"NETIR_LINK_EVT", "NETIR_LINK_DOWN"})

_REASONS = {
    0: "sympathetic", 1: "report when more than once a day", 2: "signal integrity", 4: "signal integrity", 10: "signal integrity",
    15: "software or user", 16: "software, user or signal integrity", 17: "software or user", 18: "software, user or signal integrity",
    21: "peer device", 22: "software or user", 32: "peer device", 33: "peer device", 34: "peer device", 35: "peer device",
    36: "peer device", 37: "peer device", 38: "software or user, ignore", 40: "host", 42: "signal integrity and cables",
    43: "signal integrity and cables",
}  # fmt: skip
"""Where to look for each reason of a link-down. Source: NVIDIA Xid catalogue, Xid 149 rows, as published with NVSentinel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """What the registers say. layout: the one that was read; `ambiguous` when both fit and nothing decides."""

    layout: Literal["v1", "v2", "ambiguous", "none"]
    actions: tuple[str, ...] = ()
    investigations: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    made_by: tuple[str, ...] = ()
    reason: int | None = None
    reason_meaning: str = ""

    @property
    def attributes(self) -> dict[str, Value]:
        """Return what a signal carries of it."""
        found: dict[str, Value] = {"layout": self.layout}
        for name, values in (
            ("nvlink5_action", self.actions),
            ("nvlink5_investigation", self.investigations),
            ("nvlink5_severity", self.severities),
            ("nvlink5_made_by", self.made_by),
        ):
            if values:
                found[name] = " or ".join(values)
        if self.reason is not None:
            found["reason"] = self.reason
            found["reason_meaning"] = self.reason_meaning or "not in the catalogue"
        return found


def decode_registers(xid: int, unit: str, intrinfo: int, error_status: int, driver_branch: int | None) -> Decoded:
    """Return what the two registers say.

    driver_branch: `550`, `575` …, None when not known: then the unit's name decides where it differs between the
    layouts, else the layout in which a rule fits; when rules fit in both the result is ambiguous, and lists both.
    """
    fitting = {layout: _rules(layout, xid, intrinfo, error_status) for layout in _layouts(xid, unit, driver_branch)}
    found = {layout: rules for layout, rules in fitting.items() if rules}
    reason = link_down_reason(intrinfo) if unit in _LINK_DOWN_UNITS else None
    meaning = _REASONS.get(reason, "") if reason is not None else ""
    if not found:
        return Decoded(layout="none", reason=reason, reason_meaning=meaning)
    pairs = [(layout, rule) for layout, rules in found.items() for rule in rules]
    return Decoded(
        layout=next(iter(found)) if len(found) == 1 else "ambiguous",
        actions=_once(rule.advice(layout, intrinfo) for layout, rule in pairs),
        investigations=_once(rule.investigation for _, rule in pairs),
        severities=_once(rule.severity for _, rule in pairs),
        made_by=_once(rule.made_by for _, rule in pairs),
        reason=reason,
        reason_meaning=meaning,
    )


def _layouts(xid: int, unit: str, driver_branch: int | None) -> tuple[Layout, ...]:
    both: tuple[Layout, ...] = get_args(Layout)
    if driver_branch is not None:
        return ("v1",) if driver_branch < LAYOUT_CHANGED_AT else ("v2",)
    named = tuple(layout for layout in both if any(rule.xid == xid and rule.unit(layout) == unit for rule in nvlink5_rules()))
    return named if len(named) == 1 else both


def _rules(layout: Layout, xid: int, intrinfo: int, error_status: int) -> tuple[Rule, ...]:
    return tuple(rule for rule in nvlink5_rules() if rule.xid == xid and rule.fits(layout, intrinfo, error_status))


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
