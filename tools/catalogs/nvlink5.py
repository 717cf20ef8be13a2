"""The bit masks that decode the registers of NVLink 5 Xids (144-150), in the two layouts drivers have used.

The layout changed at driver branch R575: before it the sub-code sits in bits 9:5, since then in bits 6:0; the reason
of a link-down sits in bits 25:20 in both. Source: NVIDIA Xid catalogue as published with NVSentinel (Apache-2.0).
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from firstfault.tools.catalogs.tables import Row, read_table

Layout = Literal["v1", "v2"]
LAYOUTS: tuple[Layout, Layout] = ("v1", "v2")
LAYOUT_CHANGED_AT = 575
"""First driver branch that prints the newer layout (`v2`)."""

_REASON_SHIFT = 20
_REASON_MASK = 0x3F


@dataclass(frozen=True, slots=True, kw_only=True)
class Mask:
    """Which bits of `intrinfo` count and what they must be. Text form: 32 characters of 0, 1 and `-` (any)."""

    care: int
    value: int

    @staticmethod
    def of(text: str) -> "Mask":
        """Return the mask of its text form."""
        bits = text.strip()
        return Mask(
            care=int("".join("0" if bit == "-" else "1" for bit in bits), 2),
            value=int(bits.replace("-", "0"), 2),
        )

    def fits(self, word: int) -> bool:
        """Return whether `word` has the bits that count."""
        return word & self.care == self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row: if the unit reports these bits and this error status, this is advised and expected."""

    xid: int
    units: tuple[str, str]
    masks: tuple[Mask, Mask]
    error_status: frozenset[int]
    action: str
    investigation: str
    severity: str
    made_by: str
    local_impact: str
    remote_impact: str
    second_masks: tuple[Mask, Mask] | None = None
    second_action: str = ""

    def unit(self, layout: Layout) -> str:
        """Return the unit name as drivers of that layout print it."""
        return self.units[0 if layout == "v1" else 1]

    def fits(self, layout: Layout, intrinfo: int, error_status: int) -> bool:
        """Return whether the rule is about these registers, read in that layout. An empty status means any."""
        index = 0 if layout == "v1" else 1
        masks = (self.masks, self.second_masks) if self.second_masks is not None else (self.masks,)
        has_status = not self.error_status or error_status in self.error_status
        return has_status and any(pair[index].fits(intrinfo) for pair in masks)

    def advice(self, layout: Layout, intrinfo: int) -> str:
        """Return the advised action for these registers."""
        if self.second_masks is not None and self.second_masks[0 if layout == "v1" else 1].fits(intrinfo):
            return self.second_action or self.action
        return self.action


def link_down_reason(intrinfo: int) -> int:
    """Return why a link went down, as the number in bits 25:20."""
    return intrinfo >> _REASON_SHIFT & _REASON_MASK


@cache
def nvlink5_rules() -> tuple[Rule, ...]:
    """Return all rows, in table order."""
    return tuple(_rule(row) for row in read_table("nvlink5_decode.csv"))


def _rule(row: Row) -> Rule:
    has_second = bool(row["action2_v1"])
    return Rule(
        xid=int(row["xid"]),
        units=(row["unit_v1"], row["unit_v2"]),
        masks=(Mask.of(row["intrinfo_v1_lt_R575"]), Mask.of(row["intrinfo_v2_ge_R575"])),
        error_status=frozenset(int(word, 16) for word in row["error_status"].split("/") if word),
        action=row["action"],
        investigation=row["investigatory"],
        severity=row["severity"],
        made_by=row["hw_sw"],
        local_impact=row["impact_local"],
        remote_impact=row["impact_remote"],
        second_masks=(Mask.of(row["action2_v1"]), Mask.of(row["action2_v2"])) if has_second else None,
        second_action=row["action2"],
    )
