"""How times, durations, names and gate decisions are worded, the same in every rendering."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from firstfault.agent.render.safety import cut, one_line
from firstfault.agent.report.contract import (
    EntityPart,
    FirstFaultPart,
    GapPart,
    PolicyPart,
    TargetPart,
    TimelinePart,
)
from firstfault.tools.entities import canonical_bdf

VERDICTS = {
    "CONFIRMED": "CONFIRMED",
    "LIKELY": "LIKELY",
    "INCONCLUSIVE": "INCONCLUSIVE",
    "NO_FAULT": "NO FAULT",
}
WHY = {
    "CONFIRMED": "Why CONFIRMED",
    "LIKELY": "Why LIKELY",
    "INCONCLUSIVE": "Why open",
    "NO_FAULT": "Why NO FAULT",
}
"""What the line is called that says why the verdict is no other."""
FIRST_LINES = {
    "CONFIRMED": "First fault",
    "LIKELY": "First fault",
    "INCONCLUSIVE": "First sign",
    "NO_FAULT": "Shown by",
}
"""What the line is called that the diagnosis begins with: a fault only where one is claimed."""
_HELD_BACK = {
    "shadow": "shadow mode: recorded and scored, not offered",
    "recommend": "recommend mode: shown, not offered",
}
"""Modes in which nothing is offered, and what they mean."""
_SAID_BY_GATE = ("mode.shadow", "mode.recommend", "approval.required", "advice.", "gate.")
"""Policies whose reasons `gate` and `mode_note` already put in words."""
_MISSING = "facts.missing"
_FACTS_NAMED = 3
"""Missing facts that are named in one line; the rest is counted there and listed in the table of decisions."""
_NOT_COLLECTED = "not collected: "
_GET_IT = "not among what was collected; get it with "
_MINUTE_S = 60
_SHOWN_SPREAD_S = 0.001
_HOUR_S = 3600
_DAY_S = 86400
_THOUSAND = 1000


def entity(part: EntityPart | None) -> str:
    """Return `gpu 0000:91:00`, `HelmRelease gitops/stack`, or `nothing named`."""
    if part is None:
        return "nothing named"
    name, kind = one_line(part.name), one_line(part.kind)
    if isinstance(part, TargetPart) and part.namespace and part.object_kind:
        return one_line(f"{part.object_kind} {part.namespace}/{part.name}")
    if name in {"", "unknown"}:
        return "not named" if kind == "unknown" else f"{kind} not named"
    return name if kind.lower() in name.lower() or kind == "unknown" else f"{kind} {name}"


def located(part: EntityPart | None) -> str:
    """Return the thing with its machine: `gpu 0000:91:00 on gpu-079`; a name of a device alone finds nothing in a fleet."""
    named = entity(part)
    return f"{named} on {one_line(part.node)}" if part is not None and part.node else named


def moment(at: datetime) -> str:
    """Return a UTC time to the millisecond where there is one: `2026-04-01 03:12:44.120 UTC`."""
    in_utc = at.astimezone(UTC)
    fraction = f".{in_utc.microsecond // 1000:03d}" if in_utc.microsecond else ""
    return f"{in_utc:%Y-%m-%d %H:%M:%S}{fraction} UTC"


def seconds(value: float) -> str:
    """Return a duration as people say it: `0.4 ms`, `11.9 s`, `2 h 5 min`. The sign is kept."""
    sign, size = ("-" if value < 0 else ""), abs(value)
    if size < 1:
        return f"{sign}{size * 1000:.3g} ms" if size else "0 s"
    if size < _MINUTE_S * 2:
        return f"{sign}{size:.3g} s"
    if size < _HOUR_S:
        return sign + _two(int(size), _MINUTE_S, "min", 1, "s")
    if size < _DAY_S:
        return sign + _two(int(size), _HOUR_S, "h", _MINUTE_S, "min")
    return sign + _two(int(size), _DAY_S, "d", _HOUR_S, "h")


def _two(size: int, large_s: int, large: str, small_s: int, small: str) -> str:
    """Return a duration in two units, the smaller left out when there is none of it."""
    rest = size % large_s // small_s
    return f"{size // large_s} {large}" + (f" {rest} {small}" if rest else "")


def when(part: FirstFaultPart | TimelinePart, line: int | None = None) -> str:
    """Return when something happened and on which clock; a line's position is no time and is not shown as one."""
    if part.at is not None:
        return moment(part.at) + spread(part)
    if part.clock == "uptime":
        return f"uptime {one_line(part.raw_time).strip('[] ')} s, no wall clock"
    raw = one_line(part.raw_time, 40)
    if raw and not raw.isdigit():
        return f"{raw} as printed, no absolute time"
    return f"no time stamp, line {line} of its file" if line else "no time stamp, placed by its line"


def spread(part: FirstFaultPart | TimelinePart) -> str:
    """Return how sure a time is, empty where it is surer than what `moment` shows of it."""
    told = part.at is not None and part.uncertainty_s is not None and part.uncertainty_s >= _SHOWN_SPREAD_S
    return f" ± {seconds(part.uncertainty_s or 0.0)}" if told else ""


def is_named(part: EntityPart) -> bool:
    """Return whether anybody could find the thing by what is said of it."""
    return part.kind != "unknown" and part.name not in {"", "unknown"}


_DEVICES = frozenset({"gpu", "nvswitch", "nvlink", "adapter", "port", "device"})


def identity(part: EntityPart) -> tuple[str, str]:
    """Return what makes two printed names one thing: the kind and the name, PCI addresses in one form.

    Devices of two machines have the same names.
    """
    name = canonical_bdf(part.name) or part.name
    return (part.kind, f"{name} of {part.node}" if part.node and part.kind in _DEVICES else name)


def counted(entities: Iterable[EntityPart], others: Mapping[str, int] | None = None) -> str:
    """Return distinct things by kind: `1 gpu, 3 nvswitches`, in the order they were first seen.

    others: by kind, how many more there are that have no entry of their own.
    """
    distinct = {identity(part): part.kind for part in entities}
    numbers = Counter(distinct.values())
    numbers.update(others or {})
    return ", ".join(f"{number:,} {plural(kind, number)}" for kind, number in numbers.items())


def numbered(noun: str, number: float) -> str:
    """Return the number with its noun, three digits: `1 day`, `2.5 days`, `0 incidents`."""
    digits = f"{number:.3g}" if number < _THOUSAND else f"{number:,.0f}"
    return f"{digits} {plural(noun, 1 if number == 1 else 2)}"


def plural(noun: str, number: int) -> str:
    """Return the noun for that many."""
    readable = noun.replace("_", " ")
    if number == 1:
        return readable
    if readable.endswith(("ay", "ey", "oy")):
        return readable + "s"
    if readable.endswith("y"):
        return readable[:-1] + "ies"
    return readable + ("es" if readable.endswith(("s", "ch", "x")) else "s")


def gate(part: PolicyPart) -> str:
    """Return the gate's word: what holds now, or where the mode holds it back, what would hold in approve mode."""
    if "advice.executes_nothing" in part.determining:
        return "advice, executes nothing"
    if part.mode in _HELD_BACK:
        would = {
            "ALLOW": "would be allowed",
            "NEEDS_APPROVAL": "would need approval",
            "DENY": "would be denied",
        }
        return would[part.would_be]
    return {"ALLOW": "allowed", "NEEDS_APPROVAL": "needs approval", "DENY": "denied"}[part.decision]


def mode_note(parts: Sequence[PolicyPart]) -> str | None:
    """Return one sentence on what the modes in use mean, None when every action is offered."""
    held = dict.fromkeys(part.mode for part in parts if "advice.executes_nothing" not in part.determining)
    found = [_HELD_BACK[mode] for mode in held if mode in _HELD_BACK]
    return "; ".join(found) or None


def gate_reasons(part: PolicyPart) -> list[str]:
    """Return why the gate says so, what it judged first, then the facts it lacks in one line.

    What the mode and the wording of `gate` already say is left out.
    """
    named = list(zip(part.determining, part.reasons, strict=False))
    judged = [
        one_line(reason) for policy, reason in named if not policy.startswith((*_SAID_BY_GATE, _MISSING))
    ]
    missing = [
        one_line(reason).removeprefix("unknown: ") for policy, reason in named if policy.startswith(_MISSING)
    ]
    if len(missing) > _FACTS_NAMED:
        missing[_FACTS_NAMED:] = [f"{len(missing) - _FACTS_NAMED} more facts"]
    return [*judged, f"not known: {', '.join(missing)}"] if missing else judged


def gap(part: GapPart) -> str:
    """Return what was not seen and why: `kernel log of node-7: access denied`."""
    why = one_line(part.why, 300)
    if why.startswith(_NOT_COLLECTED):
        return f"{why.removeprefix(_NOT_COLLECTED)} (not collected)"
    source = one_line(part.source, 80).replace("_", " ")
    if why.startswith(_GET_IT):
        return f"{source}: get it with {why.removeprefix(_GET_IT)}"
    about = f" of {cut(entity(part.entity), 80)}" if part.entity else ""
    return f"{source}{about}: {why}"
