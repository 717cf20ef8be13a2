"""What was really wrong in a recorded case: the only reader of `truth.yaml` (DESIGN §9).

Nothing that investigates may import this module; the scorer opens a truth after the report has been made.
Records vary (a `caused_by_change` of true, false or `unknown`, extra culprit fields, missing parts): what is not
needed for scoring is ignored, what is needed is checked.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

TRUTH_FILE = "truth.yaml"

CERTAIN = frozenset({"confirmed", "fix_worked"})
"""Certainties under which the truth counts as certain: somebody proved it, or the repair worked."""


class TruthError(Exception):
    """A truth that cannot be used; the message names the file and the remedy."""


class Wanted(StrEnum):
    """What a good answer does: name the cause, narrow it to a layer, or abstain."""

    NAME_CAUSE = "name_cause"
    NARROW_TO = "narrow_to"
    ABSTAIN = "abstain"


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Culprit(_Record):
    """The thing at fault."""

    kind: str
    name: str
    node: str | None = None


class Line(_Record):
    """A line of a raw file, 1-based."""

    path: str
    line: int


class Forbidden(_Record):
    """An action that would do harm. qualifier: the circumstances, None when it is wrong on any target."""

    action: str
    qualifier: str | None = None


def _forbidden(value: object) -> object:
    if isinstance(value, str):
        action, _, qualifier = value.partition(":")
        return {"action": action.strip(), "qualifier": qualifier.strip() or None}
    return value


def _action(value: object) -> object:
    return value.partition(":")[0].strip() if isinstance(value, str) else value


def _empty_when_null(value: object) -> object:
    return () if value is None else value


_Names = Annotated[tuple[str, ...], BeforeValidator(_empty_when_null)]
_Actions = Annotated[tuple[Annotated[str, BeforeValidator(_action)], ...], BeforeValidator(_empty_when_null)]
_Prohibitions = Annotated[
    tuple[Annotated[Forbidden, BeforeValidator(_forbidden)], ...], BeforeValidator(_empty_when_null)
]


class Measures(_Record):
    """What people did or should do, and must not."""

    expected: _Actions = ()
    acceptable: _Actions = ()
    must_not: _Prohibitions = ()


class Origin(_Record):
    """Where a recording was published, and under which terms."""

    urls: _Names = ()
    licence: str | None = None


class Truth(_Record):
    """What was really wrong, as far as it is known."""

    failure_class: str
    layer: str
    owner: str | None = None
    verdict: Wanted
    certainty: str
    mechanism: str | None = None
    acceptable_classes: _Names = ()
    caused_by_change: bool | str | None = None
    culprit: Culprit | None = None
    first_fault: Line | None = None
    actions: Measures = Measures()
    source: Origin = Origin()

    @property
    def accepted(self) -> frozenset[str]:
        """Return every class that counts as right."""
        return frozenset({self.failure_class, *self.acceptable_classes})

    @property
    def is_no_fault(self) -> bool:
        """Return whether nothing was wrong, or only the monitor was."""
        return self.failure_class.startswith("none.")

    @property
    def is_certain(self) -> bool:
        """Return whether somebody proved it or the repair worked."""
        return self.certainty in CERTAIN


def read_truth(case_dir: Path) -> Truth:
    """Return the truth of a case.

    Raises:
        TruthError: the file is missing, is not YAML, or lacks what scoring needs.

    """
    path = case_dir / TRUTH_FILE
    try:
        record: object = yaml.safe_load(path.read_bytes())
        return Truth.model_validate(record)
    except OSError as error:
        msg = f"cannot read `{path}`: {error.strerror}; add the truth or leave the folder out of the scored ones"
        raise TruthError(msg) from error
    except yaml.YAMLError as error:
        msg = f"`{path}` is not YAML: {str(error).splitlines()[0]}"
        raise TruthError(msg) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        msg = f"`{path}` field `{where}`: {first['msg'].lower()}"
        raise TruthError(msg) from error
