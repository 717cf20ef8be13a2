"""Two versions on the same history, incident by incident."""

from collections.abc import Sequence
from dataclasses import dataclass

from firstfault.evals.shadow.scores import ShadowScore
from firstfault.evals.shares import sign_test

WORSE_P = 0.05
"""A new version is worse when fewer incidents are right and the sign test gives a smaller p-value than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionComparison:
    """Where the new version is right and the old one was not, and the other way round. p_value: two-sided sign test.

    pairs: incidents with a known cause that both looked at. harm: harmful recommendations, before and after.
    """

    pairs: int
    better: tuple[str, ...]
    worse: tuple[str, ...]
    p_value: float
    harm_before: int
    harm_after: int

    @property
    def is_worse(self) -> bool:
        """Return whether the new version must not keep what the old one earned: new harm, or clearly less right."""
        fewer_right = len(self.worse) > len(self.better)
        return self.harm_after > self.harm_before or (fewer_right and self.p_value < WORSE_P)


def compare_versions(old: Sequence[ShadowScore], new: Sequence[ShadowScore]) -> VersionComparison:
    """Return the paired comparison of the incidents that both have at the same offset."""
    before = {(score.incident, score.offset_s): score for score in old}
    after = {(score.incident, score.offset_s): score for score in new}
    shared = sorted(before.keys() & after.keys())
    known = [key for key in shared if before[key].right is not None and after[key].right is not None]
    better = tuple(key[0] for key in known if after[key].right and not before[key].right)
    worse = tuple(key[0] for key in known if before[key].right and not after[key].right)
    return VersionComparison(
        pairs=len(known),
        better=better,
        worse=worse,
        p_value=sign_test(len(better), len(worse)),
        harm_before=sum(len(before[key].harm) for key in shared),
        harm_after=sum(len(after[key].harm) for key in shared),
    )
