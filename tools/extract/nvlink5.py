"""Decodes the registers of NVLink 5 Xids, in the layout of the driver that printed them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from firstfault.tools.catalogs.nvlink5 import (
    LAYOUT_CHANGED_AT,
    LAYOUTS,
    Layout,
    Rule,
    link_down_reason,
    nvlink5_rules,
)
from firstfault.tools.signals import Value

_LINK_DOWN_UNITS = frozenset({"NETIR_LINK_EVT", "NETIR_LINK_DOWN"})


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


def decode_registers(
    xid: int, unit: str, intrinfo: int, error_status: int, driver_branch: int | None
) -> Decoded:
    """Return what the two registers say.

    driver_branch: `550`, `575` …, None when not known: then the unit's name decides where it differs between the
    layouts, else the layout in which a rule fits; when rules fit in both the result is ambiguous, and lists both.
    """
    pairs: list[tuple[Layout, Rule]] = [
        (layout, rule)
        for layout in _layouts(xid, unit, driver_branch)
        for rule in _rules(layout, xid, intrinfo, error_status)
    ]
    layouts = _once(layout for layout, _ in pairs)
    reason = link_down_reason(intrinfo) if unit in _LINK_DOWN_UNITS else None
    return Decoded(
        layout=(pairs[0][0] if len(layouts) == 1 else "ambiguous") if pairs else "none",
        actions=_once(rule.advice(layout, intrinfo) for layout, rule in pairs),
        investigations=_once(rule.investigation for _, rule in pairs),
        severities=_once(rule.severity for _, rule in pairs),
        made_by=_once(rule.made_by for _, rule in pairs),
        reason=reason,
        reason_meaning="" if reason is None else _meaning_of(reason),
    )


def _meaning_of(reason: int) -> str:
    """Return where the catalogue says to look for that reason of a link-down, whatever the layout."""
    told = (
        rule.investigation
        for rule in nvlink5_rules()
        if rule.unit("v1") in _LINK_DOWN_UNITS and link_down_reason(rule.masks[0].value) == reason
    )
    return " or ".join(_once(told))


def _layouts(xid: int, unit: str, driver_branch: int | None) -> tuple[Layout, ...]:
    old, new = (
        any(rule.xid == xid and rule.unit(layout) == unit for rule in nvlink5_rules()) for layout in LAYOUTS
    )
    if driver_branch is not None:
        return ("v1",) if driver_branch < LAYOUT_CHANGED_AT else ("v2",)
    if old == new:
        return LAYOUTS
    return ("v1",) if old else ("v2",)


def _rules(layout: Layout, xid: int, intrinfo: int, error_status: int) -> tuple[Rule, ...]:
    return tuple(
        rule for rule in nvlink5_rules() if rule.xid == xid and rule.fits(layout, intrinfo, error_status)
    )


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
