"""What NVIDIA, other monitors and operators say about each Xid and SXid, side by side, never merged into one truth."""

from dataclasses import dataclass
from functools import cache

from firstfault.tools.catalogs.tables import Row, read_table

MAX_XID = 250
"""Highest number read as an Xid when only people or monitors mention it; drivers of branch 595 stop at 176."""


@dataclass(frozen=True, slots=True, kw_only=True)
class XidEntry:
    """One code. `says` maps who → what they would do; `disagreement` says where they differ, "" when they do not."""

    code: int
    mnemonic: str
    meaning: str
    layer: str
    first_suspect: str
    says: tuple[tuple[str, str], ...]
    disagreement: str
    sources: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SxidEntry:
    """One NVSwitch code. severity: `fatal`, `non-fatal`, … of the driver for (H100-class, A100-class) switches."""

    code: int
    mnemonic: str
    meaning: str
    layer: str
    block: str
    severity: tuple[str, str]
    guide_class: str
    first_suspect: str
    says: tuple[tuple[str, str], ...]
    notes: str
    sources: str


@cache
def xid_entries() -> dict[int, XidEntry]:
    """Return the Xid catalogue by code."""
    return {int(row["xid"]): _xid(row) for row in read_table("xid_catalog.csv")}


@cache
def sxid_entries() -> dict[int, SxidEntry]:
    """Return the SXid catalogue by code."""
    return {int(row["sxid"]): _sxid(row) for row in read_table("sxid_catalog.csv")}


@cache
def dcgm_actions() -> dict[str, str]:
    """Return what NVSentinel would do for each named DCGM health code (`DCGM_FR_…`)."""
    return {row["dcgm_code"]: row["nvsentinel_action"] for row in read_table("dcgm_actions.csv")}


def _said(*pairs: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (who, what)
        for who, what in pairs
        if what and what not in {"(empty cell)", "not listed", "not checked"}
    )


def _xid(row: Row) -> XidEntry:
    return XidEntry(
        code=int(row["xid"]),
        mnemonic=row["mnemonic"],
        meaning=row["meaning_in_your_own_words"],
        layer=row["likely_layer"],
        first_suspect=row["app_or_hw_first"],
        says=_said(
            ("nvidia", row["nvidia_immediate_action"]),
            ("nvidia_investigation", row["nvidia_investigatory_action"]),
            ("gpud", row["gpud_action"]),
            ("nvsentinel", row["nvsentinel_action"]),
            ("eks", row["eks_nma"]),
            ("azure", row["azure_nhc"]),
            ("aws", row["aws_healthcheck"]),
        ),
        disagreement=row["disagreement"],
        sources=row["sources"],
    )


def _sxid(row: Row) -> SxidEntry:
    return SxidEntry(
        code=int(row["sxid"]),
        mnemonic=row["mnemonic"],
        meaning=row["meaning_in_your_own_words"],
        layer=row["likely_layer"],
        block=row["block"],
        severity=(row["driver_severity_nvswitch3_H100(ls10)"], row["driver_severity_nvswitch2_A100(lr10)"]),
        guide_class=row["fm_guide_class"],
        first_suspect=row["app_or_hw_first"],
        says=_said(
            ("nvidia", row["nvidia_recovery"]),
            ("gpud", row["gpud_action"]),
            ("nvsentinel", row["nvsentinel_action"]),
        ),
        notes=row["notes"],
        sources=row["sources"],
    )
