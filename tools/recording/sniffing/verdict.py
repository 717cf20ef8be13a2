"""The verdict on one file: its kind, what it is about, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from firstfault.tools.evidence import Body
from firstfault.tools.kinds import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Sniff:
    """What a file was taken for. rivals: other kinds that its content also speaks for."""

    kind: Kind
    reason: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    rivals: tuple[Kind, ...] = ()


def sniff(path: str, body: Body) -> Sniff:
    """Return what the file at `path` is taken for."""
    return Sniff(kind=Kind.PLAIN, reason=f"nothing in `{path}` was recognised ({body.size} bytes)")
