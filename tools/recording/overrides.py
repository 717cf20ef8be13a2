"""What a human says about a file, against what was recognised: `--as kernel_log:node=gpu-7 FILE`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firstfault.tools.kinds import Kind
from firstfault.tools.recording.errors import OverrideError
from firstfault.tools.recording.subjects import SUBJECT_KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """The kind and the subject of one file, as said by a human. file: a path, or the end of one."""

    file: str
    kind: Kind
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    def applies_to(self, path: str) -> bool:
        """Return whether `path` is the file that is meant."""
        return (
            path == self.file or path.endswith("/" + self.file.lstrip("./")) or self.file.endswith("/" + path)
        )


def parse_override(spec: str, file: str) -> Override:
    """Return the override that `KIND` or `KIND:key=value,key=value` says about `file`.

    Raises OverrideError when the kind or a key is unknown; the message lists what is known.
    """
    word, _, rest = spec.partition(":")
    if word not in set(Kind):
        msg = f"`{word}` is not a kind; use one of {', '.join(sorted(Kind))}"
        raise OverrideError(msg)
    labels: dict[str, str] = {}
    for pair in filter(None, rest.split(",")):
        key, equals, value = pair.partition("=")
        if key not in SUBJECT_KEYS or not equals or not value:
            msg = f"`{pair}` does not say what the file is about; write `key=value` with one of {', '.join(sorted(SUBJECT_KEYS))}"
            raise OverrideError(msg)
        labels[key] = value
    return Override(file=file, kind=Kind(word), labels=labels)


def unused_overrides(overrides: Sequence[Override], paths: Sequence[str]) -> None:
    """Raise OverrideError when an override names a file that is not part of the recording."""
    for override in overrides:
        if not any(override.applies_to(path) for path in paths):
            known = ", ".join(f"`{path}`" for path in paths[:5])
            msg = f"`--as` names `{override.file}`, which is not part of the recording; it holds {known}"
            raise OverrideError(msg)
