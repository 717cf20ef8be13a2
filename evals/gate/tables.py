"""Tables of situations that a site writes to pin what its policies must say: `firstfault policy test DIR`.

Errors
└── TableError      a table cannot be read; the message names the file and the row
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from firstfault.evals.gate.world import ALL_FACTS, NODE, NOW, Situation, word_on
from firstfault.policies import (
    Action,
    Certainty,
    Limits,
    Mode,
    PastAction,
    Policies,
    PolicyDecision,
    Principal,
    PrincipalKind,
    Target,
    TargetKind,
)
from firstfault.policies.history import Ending

Word = Literal["ALLOW", "NEEDS_APPROVAL", "DENY"]
Scalar = bool | int | str
_WHOLE = frozenset({"approvers"})


class TableError(Exception):
    """A table cannot be read."""


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Past(_Row):
    """One ledger row: what was done, how long ago, how it ended."""

    action: Action
    hours_ago: float = Field(ge=0)
    ending: Ending = Ending.DONE
    target: str = f"node//{NODE}"


class _Target(_Row):
    kind: TargetKind
    name: str
    namespace: str | None = None
    node: str | None = None
    workload_kind: str | None = None


class Expectation(_Row):
    """One row of a table: what differs from a world without obstacles, and what the gate must say.

    facts: by name, null for unknown. because: ids that must be among those that determined the decision.
    """

    name: str
    action: Action
    expect: Word
    would_be: Word | None = None
    because: tuple[str, ...] = ()
    mode: Mode = Mode.APPROVE
    approvers: int = Field(default=0, ge=0)
    failure_class: str | None = Field(default=None, alias="class")
    verdict: Certainty | None = None
    families: int | None = Field(default=None, ge=0)
    known_signature: bool | None = None
    asked_by: str | None = None
    target: _Target | None = None
    facts: dict[str, Scalar | None] = Field(default_factory=dict[str, Scalar | None])
    past: tuple[_Past, ...] = ()
    open_breakers: frozenset[str] = frozenset()

    @field_validator("facts")
    @classmethod
    def _names_facts(cls, value: dict[str, Scalar | None]) -> dict[str, Scalar | None]:
        if unknown := sorted(set(value) - set(ALL_FACTS) - _WHOLE):
            msg = f"the fact `{unknown[0]}` does not exist: see docs/policy.md"
            raise ValueError(msg)
        return value

    def situation(self) -> Situation:
        """Return the row as a situation of the reference world."""
        return Situation(
            action=self.action,
            mode=self.mode,
            approvers=self.approvers,
            facts=self.facts,
            proposal=self._proposal(),
            past=tuple(
                PastAction(
                    action=row.action,
                    target=row.target,
                    at=NOW - timedelta(hours=row.hours_ago),
                    ending=row.ending,
                )
                for row in self.past
            ),
            open_breakers=self.open_breakers,
        )

    def _proposal(self) -> dict[str, object]:
        given: dict[str, object | None] = {
            "failure_class": self.failure_class,
            "certainty": self.verdict,
            "known_signature": self.known_signature,
            "families": None
            if self.families is None
            else frozenset(f"family-{n}" for n in range(self.families)),
            "principal": None
            if self.asked_by is None
            else Principal(kind=PrincipalKind.HUMAN, name=self.asked_by),
            "target": None if self.target is None else Target(**self.target.model_dump()),
        }
        return {name: value for name, value in given.items() if value is not None}


_ROWS = TypeAdapter(tuple[Expectation, ...])


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One row with what the gate said. problems: what was expected and is not so; nothing when it passed."""

    file: str
    row: Expectation
    said: PolicyDecision
    problems: tuple[str, ...]


def read_tables(folder: Path) -> dict[str, tuple[Expectation, ...]]:
    """Return file name → rows for every `*.yaml` in `folder`. Raises TableError."""
    files = sorted((*folder.glob("*.yaml"), *folder.glob("*.yml"))) if folder.is_dir() else []
    if not files:
        msg = f"`{folder}` holds no tables: write `*.yaml` files, see docs/policy.md"
        raise TableError(msg)
    return {file.name: _read(file) for file in files}


def _read(file: Path) -> tuple[Expectation, ...]:
    try:
        return _ROWS.validate_python(yaml.safe_load(file.read_text("utf-8")) or ())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        msg = f"`{file}` cannot be read: {' '.join(str(error).split())}"
        raise TableError(msg) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        msg = f"`{file}`, row {where}: {first['msg']}"
        raise TableError(msg) from error


def run_tables(
    tables: Mapping[str, Iterable[Expectation]], limits: Limits, policies: Policies
) -> tuple[Result, ...]:
    """Return what the gate says to every row."""
    return tuple(_result(file, row, limits, policies) for file, rows in tables.items() for row in rows)


def _result(file: str, row: Expectation, limits: Limits, policies: Policies) -> Result:
    said = word_on(row.situation(), limits, policies)
    problems: list[str] = []
    if said.decision.name != row.expect:
        problems.append(f"expected {row.expect}, is {said.decision.name} by {', '.join(said.determining)}")
    if row.would_be is not None and said.would_be.name != row.would_be:
        problems.append(f"expected to be {row.would_be} in approve mode, is {said.would_be.name}")
    problems += [
        f"`{policy}` did not determine it" for policy in row.because if policy not in said.determining
    ]
    return Result(file=file, row=row, said=said, problems=tuple(problems))
