"""`case.yaml`: what a recording says about itself. Trust border, so everything is checked with pydantic."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from firstfault.tools.evidence import Body
from firstfault.tools.recording.errors import ManifestBrokenError
from firstfault.tools.stamps.calendar import zone_of

MANIFEST_NAME = "case.yaml"
TRUTH_NAME = "truth.yaml"
"""What really happened. Nothing in `tools` opens or lists it; only `evals` may."""

_MAX_MANIFEST_BYTES = 1 << 20
_REMEDY = "correct the file, or remove it to have the kinds recognised"
_YEAR = re.compile(r"(?:19|20)\d\d(?=\D|$)")


class ManifestSource(BaseModel):
    """One file of a recording. Keys beside the known ones say what it is about (`node`, `pod`, `rank` …)."""

    model_config = ConfigDict(extra="allow", frozen=True)

    path: str
    kind: str | None = None
    complete: bool = False
    note: str | None = None

    @property
    def extras(self) -> dict[str, Any]:
        """Return the keys that are not part of the model."""
        return dict(self.__pydantic_extra__ or {})


class Manifest(BaseModel):
    """What a recording says about itself, or what could be found out without a `case.yaml`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str
    question: str = ""
    timezone: str | None = None
    opened_at: datetime | None = None
    as_of: datetime | None = None
    environment: Mapping[str, str] = Field(default_factory=dict[str, str])
    sources: tuple[ManifestSource, ...] = ()
    not_collected: tuple[str, ...] = ()

    @property
    def year(self) -> int | None:
        """Return the year of the report when the environment names its date, else None."""
        match = _YEAR.match(self.environment.get("reported", ""))
        return int(match[0]) if match else None

    @property
    def extras(self) -> dict[str, Any]:
        """Return the keys that are not part of the model; they are named in a gap."""
        return dict(self.__pydantic_extra__ or {})

    @field_validator("opened_at", "as_of", mode="after")
    @classmethod
    def _aware(cls, value: datetime | None, info: ValidationInfo) -> datetime | None:
        if value is None or value.tzinfo is not None:
            return value
        return value.replace(tzinfo=zone_of(info.data.get("timezone")) or UTC)

    @field_validator("environment", mode="before")
    @classmethod
    def _flat(cls, value: object) -> object:
        return dict(_flat_items("", cast("object", value))) if isinstance(value, dict | None) else value

    @field_validator("sources", "not_collected", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return [] if value is None else value

    @field_validator("not_collected", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return [str(item) for item in cast("list[object]", value)] if isinstance(value, list) else value


def _flat_items(prefix: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield the leaves of a nested mapping with dotted keys; what is null was not said."""
    if isinstance(value, dict):
        for key, item in cast("dict[object, object]", value).items():
            yield from _flat_items(f"{prefix}.{key}" if prefix else str(key), item)
    elif value is not None:
        yield prefix, str(value)


def read_manifest(body: Body, name: str) -> Manifest:
    """Return the manifest in `body`; `name` is the id of a manifest that has none.

    Raises ManifestBrokenError when it is not YAML or lacks what every case has.
    """
    try:
        with body.open() as stream:
            raw = yaml.safe_load(stream.read(_MAX_MANIFEST_BYTES))
    except (OSError, yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:160]
        msg = f"`{MANIFEST_NAME}` of `{name}` cannot be read: {reason}; {_REMEDY}"
        raise ManifestBrokenError(msg) from error
    if not isinstance(raw, dict):
        msg = f"`{MANIFEST_NAME}` of `{name}` is not a mapping; write `id`, `question` and `sources` into it or remove it"
        raise ManifestBrokenError(msg)
    held = cast("dict[str, object]", raw)
    try:
        return Manifest.model_validate({"id": name, **held})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        msg = f"`{MANIFEST_NAME}` of `{name}`: `{place}` {first['msg'].lower()}; {_REMEDY}"
        raise ManifestBrokenError(msg) from error
