"""Shares of cases with how well a handful of cases can know them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

Z_95 = 1.959963984540054
"""Two-sided 95 % point of the normal distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`hits` of `total` with a 95 % Wilson score interval; nothing is known of a share of none."""

    hits: int
    total: int

    @property
    def value(self) -> float | None:
        """Return the share, 0 to 1, or None without cases."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """Return the Wilson interval; (0, 1) without cases.

        Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
        """
        return wilson(self.hits, self.total)

    def __str__(self) -> str:
        """Return what a table shows: `12/14 86 % [60–96]`."""
        if self.value is None:
            return "–"
        low, high = self.interval
        return f"{self.hits}/{self.total} {_percent(self.value)} % [{_percent(low)}–{_percent(high)}]"


def wilson(hits: int, total: int, z: float = Z_95) -> tuple[float, float]:
    """Return the Wilson score interval of `hits` of `total`; (0, 1) when total is 0."""
    if total == 0:
        return (0.0, 1.0)
    share = hits / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return (max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale))


def share_of(marks: Iterable[bool | None]) -> Share:
    """Return how many marks are true among those that are not None."""
    counted = [mark for mark in marks if mark is not None]
    return Share(hits=sum(counted), total=len(counted))


def _percent(value: float) -> int:
    return math.floor(value * 100 + 0.5)


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided exact p-value of a sign test; ties are left out before, 1.0 without any pair.

    Source: Conover, Practical Nonparametric Statistics, 3rd edition, section 3.4.
    """
    pairs = wins + losses
    if pairs == 0:
        return 1.0
    fewer = min(wins, losses)
    tail = sum(math.comb(pairs, number) for number in range(fewer + 1)) / 2**pairs
    return min(1.0, 2 * tail)
