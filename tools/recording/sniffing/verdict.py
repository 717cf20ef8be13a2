"""The verdict on one file: its kind, what it is about, and why. Rules decide, not numbers of confidence."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from firstfault.tools.evidence import Body, decode
from firstfault.tools.kinds import Kind
from firstfault.tools.readers.json_text import json_values
from firstfault.tools.recording.sniffing.formats import Format, Strength, formats
from firstfault.tools.recording.sniffing.headers import labels_of_content
from firstfault.tools.recording.sniffing.looks import looks
from firstfault.tools.recording.sniffing.places import kind_of_name, labels_of_path, place_of
from firstfault.tools.recording.sniffing.prose import is_diary, is_prose, is_wordy_yaml, tells_changes
from firstfault.tools.recording.sniffing.shapes import shape_of

_SAMPLE_BYTES = 256 * 1024
_SAMPLE_LINES = 1000
_LONGEST_LINE = 2000


_JSON_START = re.compile(r"[\ufeff\s]*(?:\{\s*[\"}]|\[\s*[\[{\"\]])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sniff:
    """What a file was taken for. rivals: other kinds that single lines of it also speak for.

    is_mostly: two thirds of the lines or more are of this kind by themselves.
    """

    kind: Kind
    reason: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    rivals: tuple[Kind, ...] = ()
    is_mostly: bool = False


def sniff(path: str, body: Body) -> Sniff:
    """Return what the file at `path` is taken for, with the reason.

    A place that bundles have for such files comes first, then the content, then the file's name.
    """
    with body.open() as stream:
        text = decode(stream.read(_SAMPLE_BYTES))
    lines = [
        line.rstrip("\r")[:_LONGEST_LINE]
        for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]
        if line.strip()
    ]
    place = place_of(path)
    found = _by_content(path, text, lines)
    if place is not None and place.kind is not None:
        found = Sniff(
            kind=place.kind,
            reason=place.reason,
            rivals=() if found.kind in {place.kind, Kind.PLAIN} else (found.kind,),
        )
    labels = {
        **labels_of_content(found.kind, lines),
        **labels_of_path(path),
        **(place.labels if place else {}),
    }
    return replace(found, labels=labels, rivals=found.rivals if place is None else ())


def _by_content(path: str, text: str, lines: Sequence[str]) -> Sniff:
    if not lines:
        return Sniff(kind=Kind.PLAIN, reason="the file is empty")
    shaped = _by_shape(text) if _JSON_START.match(text) else None
    found = shaped or _by_signs(path, lines) or _by_words(lines) or _by_name(path)
    if found.kind is Kind.PLAIN and _JSON_START.match(text):
        return Sniff(kind=Kind.PLAIN, reason="it is JSON of a shape that is not known")
    return found


def _by_shape(text: str) -> Sniff | None:
    kinds: Counter[tuple[Kind, str]] = Counter(shape_of(value.node) for value in json_values(text))
    known = [(shape, count) for shape, count in kinds.most_common() if shape[0] is not Kind.PLAIN]
    return Sniff(kind=known[0][0][0], reason=f"it holds {known[0][0][1]}") if known else None


def _by_signs(path: str, lines: Sequence[str]) -> Sniff | None:
    signs: Counter[Format] = Counter()
    alike: Counter[Kind] = Counter()
    for entry in looks().of(lines):
        if entry.strength is Strength.SIGN:
            signs[entry] += 1
        else:
            alike[entry.kind] += 1
    if alike:
        kind, count = alike.most_common(1)[0]
        signed = max((signs[entry] for entry in signs if entry.kind is not kind), default=0)
        if count * 2 >= len(lines) and signed * 2 < count:
            kind = _refined(path, kind)
            mostly = _is_mostly(count, len(lines))
            return Sniff(
                kind=kind, reason=f"{count} of {len(lines)} lines look like {kind}", is_mostly=mostly
            )
    if signs and (sum(signs.values()) * 3 >= len(lines) or not is_prose(lines)):
        return _by_best_sign(signs, alike, len(lines))
    if alike:
        kind, count = alike.most_common(1)[0]
        return Sniff(
            kind=_refined(path, kind),
            reason=f"{count} of {len(lines)} lines look like {kind}, no other kind more",
        )
    return None


def _by_best_sign(signs: "Counter[Format]", alike: "Counter[Kind]", total: int) -> Sniff:
    by_kind: Counter[Kind] = Counter()
    for entry, count in signs.items():
        by_kind[entry.kind] += count
    order = {entry: index for index, entry in enumerate(formats())}
    best = max(
        by_kind,
        key=lambda kind: (
            kind is not Kind.KUBE_EVENTS or Kind.KUBECTL_DESCRIBE not in by_kind,
            by_kind[kind] + alike[kind],
        ),
    )
    entry = min(
        (entry for entry in signs if entry.kind is best), key=lambda held: (-signs[held], order[held])
    )
    rivals = tuple(
        sorted(kind for kind in by_kind if kind is not best and kind not in _GOES_WITH.get(best, ()))
    )
    return Sniff(
        kind=best,
        reason=f"{signs[entry]} of {total} lines are printed by {entry.name} only",
        rivals=rivals,
        is_mostly=_is_mostly(by_kind[best] + alike[best], total),
    )


def _is_mostly(count: int, total: int) -> bool:
    return count * 3 >= total * 2


_GOES_WITH: dict[Kind, frozenset[Kind]] = {
    Kind.KUBECTL_DESCRIBE: frozenset({Kind.KUBE_EVENTS}),
    Kind.KUBE_EVENTS: frozenset({Kind.KUBECTL_DESCRIBE, Kind.KUBECTL_GET}),
    Kind.KUBECTL_GET: frozenset({Kind.KUBE_EVENTS}),
    Kind.KUBELET_LOG: frozenset({Kind.JOURNAL, Kind.SYSLOG, Kind.RUNTIME_LOG}),
    Kind.RUNTIME_LOG: frozenset({Kind.JOURNAL, Kind.SYSLOG, Kind.KUBELET_LOG}),
    Kind.JOURNAL: frozenset({Kind.KUBELET_LOG, Kind.RUNTIME_LOG, Kind.FABRIC_MANAGER_LOG}),
    Kind.APPLICATION_LOG: frozenset({Kind.CONTAINER_LOG, Kind.RUNTIME_LOG}),
    Kind.CONTAINER_LOG: frozenset({Kind.APPLICATION_LOG, Kind.RUNTIME_LOG}),
}
"""Kinds whose lines stand in texts of another kind as a matter of course: no conflict."""


def _refined(path: str, kind: Kind) -> Kind:
    """Syslog and journal print the same lines: the name decides which of them it is."""
    named = kind_of_name(path)
    return named if kind is Kind.SYSLOG and named is Kind.JOURNAL else kind


def _by_words(lines: Sequence[str]) -> Sniff | None:
    if is_diary(lines):
        if tells_changes(lines):
            return Sniff(kind=Kind.CHANGE_LOG, reason="every line is a date and a change")
        return Sniff(kind=Kind.OPERATOR_NOTES, reason="every line is a date and a person's sentence")
    if is_prose(lines):
        return Sniff(kind=Kind.OPERATOR_NOTES, reason="most lines are sentences of a person")
    if is_wordy_yaml(lines):
        return Sniff(kind=Kind.OPERATOR_NOTES, reason="it is a list of headings with words of a person")
    return None


def _by_name(path: str) -> Sniff:
    kind = kind_of_name(path)
    if kind is None and path.endswith((".yaml", ".yml")):
        return Sniff(
            kind=Kind.KUBE_OBJECTS, reason="its name says YAML, and no person's words were recognised in it"
        )
    if kind is None:
        return Sniff(kind=Kind.PLAIN, reason="neither content nor name was recognised")
    return Sniff(kind=kind, reason="its name says so; its content was not recognised")
