"""Plans as data: calls, checks, steps. A plan can be printed, stored, resumed and undone; nothing in it is code.

There are three verbs, and none of them deletes: a merge patch, the creation of another controller's resource, an eviction
(which a disruption budget may refuse).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import JsonValue as Json
from pydantic import TypeAdapter, ValidationError

from firstfault.policies.actions import Action
from firstfault.policies.canonical import to_bytes


class Verb(StrEnum):
    """What can be asked of a cluster."""

    PATCH = "patch"
    CREATE = "create"
    EVICT = "evict"


class Test(StrEnum):
    """What a check can look for in one object.

    IS: the field at `field` equals `value`. IS_NOT: it does not. ABSENT: there is no such object, or it carries another UID than
    `value`. CONDITION: `status.conditions` has type `field[0]` with status `value`. ROLLED_OUT: a Deployment or DaemonSet runs
    its newest spec everywhere.
    """

    IS = "is"
    IS_NOT = "is_not"
    ABSENT = "absent"
    CONDITION = "condition"
    ROLLED_OUT = "rolled_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must hold in the object at `path`."""

    path: str
    test: Test
    field: tuple[str, ...] = ()
    value: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request. is_guarded: a patch carries the resource version that the checks before it saw."""

    verb: Verb
    path: str
    body: Mapping[str, Json] = field(default_factory=dict[str, Json])
    is_guarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step. before: must hold, or the step fails. done: holds when it is done, looked at before the call as well.

    accepted: holds when the call was taken and its effect is still under way, so that it is not made again.
    failed: holds when the controller that does it has given up. undo: how it is taken back, which is only done while `done`
    holds, so that nobody else's change is; None where it cannot be. within_s: how long `done` may take.
    A step without a call only waits.
    """

    name: str
    done: tuple[Check, ...]
    call: Call | None = None
    before: tuple[Check, ...] = ()
    accepted: tuple[Check, ...] = ()
    failed: tuple[Check, ...] = ()
    undo: Call | None = None
    within_s: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All steps of one action, in order. deadline_s: how long the whole may take."""

    action: Action
    target: str
    steps: tuple[Step, ...]
    deadline_s: int


def steps_in_words(count: int) -> str:
    """Return `1 step`, `2 steps`."""
    return "1 step" if count == 1 else f"{count} steps"


class NoPlanError(Exception):
    """The action cannot be planned for what is there; the message says why, in one line."""


_PLAN = TypeAdapter(Plan)


def plan_text(plan: Plan) -> str:
    """Return the plan as canonical JSON."""
    return to_bytes(plan).decode("ascii")


def plan_from(text: str) -> Plan:
    """Return the plan that `text` spells. Raises NoPlanError when it spells something else."""
    try:
        return _PLAN.validate_python(json.loads(text))
    except (ValidationError, ValueError) as error:
        msg = "the stored plan cannot be read back: restore a backup"
        raise NoPlanError(msg) from error


def described(check: Check) -> str:
    """Return what the check wants, in one line."""
    where = ".".join(check.field) or "object"
    wanted = {
        Test.IS: f"{where} is {check.value}",
        Test.IS_NOT: f"{where} is not {check.value}",
        Test.ABSENT: "it is gone",
        Test.CONDITION: f"condition {where} is {check.value}",
        Test.ROLLED_OUT: "it is rolled out",
    }
    return f"{check.path}: {wanted[check.test]}"
