"""Small inputs of our own for each class: hand-written recordings with what must, or must not, come out.

One YAML file each, `tests/classes/<class>/<name>.yaml`:

    question, opened_at, timezone, environment    as in `case.yaml`
    files      path → {kind, text, complete, node, pod …}
    expect     class or one_of, not, verdict, layer, owner, mechanism, culprit, first_fault (`path:line`), action
    source     where the wording comes from
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError


class InputError(Exception):
    """An input that cannot be used; the message names the file and the field."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class InputFile(BaseModel):
    """One file of an input. Keys beside the known ones say what it is about (`node`, `pod`, `rank` …)."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: str
    text: str
    complete: bool = False

    @property
    def labels(self) -> dict[str, Any]:
        """Return what the file is about."""
        return dict(self.__pydantic_extra__ or {})


class Expectation(_Part):
    """What must come out; only what is given is checked. never: classes that must not be diagnosed."""

    failure_class: str | None = Field(default=None, alias="class")
    one_of: tuple[str, ...] = ()
    never: tuple[str, ...] = Field(default=(), alias="not")
    verdict: str | None = None
    owner: str | None = None
    mechanism: str | None = None
    culprit: str | None = None
    first_fault: str | None = None
    action: str | None = None


class Input(_Part):
    """One hand-written recording with its expectation."""

    question: str = ""
    opened_at: str | None = None
    timezone: str | None = None
    environment: Mapping[str, Any] = Field(default_factory=dict[str, Any])
    files: Mapping[str, InputFile]
    expect: Expectation
    source: str | None = None
    note: str | None = None


def read_input(path: Path) -> Input:
    """Return the input in `path`. Raises InputError when it is not one."""
    try:
        return Input.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        msg = f"`{path}` is no input: {' '.join(str(error).split())[:200]}"
        raise InputError(msg) from error


def input_paths(root: Path) -> tuple[Path, ...]:
    """Return every input under `root`, sorted."""
    return tuple(sorted(root.glob("*/*.yaml")))


def unpack(item: Input, name: str, folder: Path) -> Path:
    """Write the input as a case folder `folder/name` and return it. The manifest is JSON, which is YAML too."""
    root = folder / name
    for path, file in item.files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.text, encoding="utf-8")
    manifest = {
        "id": name,
        "question": item.question,
        "opened_at": item.opened_at,
        "timezone": item.timezone,
        "environment": dict(item.environment),
        "sources": list(_sources(item)),
    }
    (root / "case.yaml").write_text(json.dumps(manifest, indent=1, default=str), encoding="utf-8")
    return root


def _sources(item: Input) -> Iterator[dict[str, Any]]:
    for path, file in item.files.items():
        yield {"path": path, "kind": file.kind, "complete": file.complete, **file.labels}
