"""Comparisons and conditions as tables write them: `> 0`, `has 0x80`, `state=failed;device!~lo|veth.*`."""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
_CONDITION = re.compile(r"^(?P<label>\w+)(?P<how>=~|!~|!=|=)(?P<value>.*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison with a number: `> 0`, `has 0x80` (bits)."""

    operator: str
    threshold: float

    @staticmethod
    def of(text: str) -> "Comparison":
        """Return the comparison that `text` states. Raises ValueError when it states none."""
        word, _, number = text.partition(" ")
        if word != "has" and word not in _OPERATORS:
            msg = f"no such comparison: `{text}`"
            raise ValueError(msg)
        return Comparison(
            operator=word, threshold=float(int(number, 16)) if number.startswith("0x") else float(number)
        )

    def holds(self, value: float) -> bool:
        """Return whether `value` passes."""
        if self.operator == "has":
            return value >= 0 and bool(int(value) & int(self.threshold))
        return _OPERATORS[self.operator](value, self.threshold)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a label must be, in the notation of Prometheus: `=`, `!=`, `=~`, `!~` (whole value)."""

    label: str
    how: str
    value: str

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Return whether `labels` meet it; an absent label is the empty text."""
        said = labels.get(self.label, "")
        is_equal = (
            said == self.value if self.how in {"=", "!="} else re.fullmatch(self.value, said) is not None
        )
        return is_equal is not self.how.startswith("!")


def names_of(cell: str) -> re.Pattern[str]:
    """Return one pattern for all names that a cell lists. Raises re.error."""
    return re.compile("|".join(f"(?:{word})" for word in cell.split()))


def conditions_of(cell: str) -> tuple[Condition, ...]:
    """Return the conditions that a cell states, parted by `;`. Raises ValueError when one is none."""
    found: list[Condition] = []
    for word in filter(None, cell.split(";")):
        match = _CONDITION.match(word)
        if match is None:
            msg = f"no such condition: `{word}`"
            raise ValueError(msg)
        found.append(Condition(label=match["label"], how=match["how"], value=match["value"]))
    return tuple(found)
