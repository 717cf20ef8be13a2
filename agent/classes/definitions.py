"""The schema of a class definition: what a failure class looks for, what speaks against it, and what follows.

Class definitions are data (`agent/classes/definitions/<class>.yaml`), one file each, tested by one engine
(`agent.hypotheses`). A criterion names signals, never words of a log: words belong to the catalogues of `tools`.
"""

from enum import StrEnum
from functools import cached_property, lru_cache
from importlib import resources
from typing import Annotated, Literal, Self, cast

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from firstfault.agent.findings import Owner
from firstfault.policies.actions import Action
from firstfault.tools.entities import EntityKind
from firstfault.tools.kinds import Family, Kind

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader in C where PyYAML was built with it: ten times as fast, and every command loads all definitions."""


class ClassError(Exception):
    """A class definition cannot be used; the message names the file and the field."""


class Strength(StrEnum):
    """How much a matched criterion says. No numbers: the order is all there is."""

    DECISIVE = "decisive"
    """Enough to name the class where nothing contradicts it."""
    STRONG = "strong"
    """Names the class unless a rival explains the same signal."""
    WEAK = "weak"
    """Points there; never enough for more than INCONCLUSIVE."""

    @property
    def rank(self) -> int:
        """Return 3 for decisive, 2 for strong, 1 for weak."""
        return {Strength.DECISIVE: 3, Strength.STRONG: 2, Strength.WEAK: 1}[self]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Condition(_Part):
    """A test of one attribute of a signal; every given part must hold, an absent attribute fails all but `absent`."""

    eq: str | int | float | bool | None = None
    one_of: tuple[str | int | float | bool, ...] | None = None
    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    matches: str | None = None
    """A Python regular expression searched in the attribute as text."""
    absent: bool | None = None


def _condition(value: object) -> object:
    return cast("object", value) if isinstance(value, dict) else {"eq": value}


def _strings(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Strings = Annotated[tuple[str, ...], BeforeValidator(_strings)]


class Matcher(_Part):
    """Which signals count. `signal` is one or several glob patterns of signal names (`xid.*`)."""

    signal: Strings
    where: dict[str, Annotated[Condition, BeforeValidator(_condition)]] = Field(default_factory=dict)
    family: tuple[Family, ...] = ()
    not_family: tuple[Family, ...] = ()
    entity: tuple[EntityKind, ...] = ()
    min_count: int = 1
    """At least this many occurrences, folded repeats included."""
    repeats: int = 1
    """Only signals that were seen this many times with the same attributes."""
    min_entities: int = 1
    max_entities: int | None = None
    min_nodes: int = 0
    echoes: bool = False
    """Also count signals that an echo rule explained away."""


def _matcher(value: object) -> object:
    return {"signal": value} if isinstance(value, str) else value


Matchers = Annotated[tuple[Annotated[Matcher, BeforeValidator(_matcher)], ...], Field(default=())]
Join = Literal["entity", "node", "namespace", "pod", "document"]


class Predicate(_Part):
    """Signals that must be there (`any`, `all`) or must not have been seen (`none`), joined by `same`."""

    any: Matchers = ()
    all: Matchers = ()
    none: Matchers = ()
    same: Join | None = None
    """All matchers of `all` (and those of `none`) are looked for on one and the same node, entity …"""
    in_order: bool = False
    """The matchers of `all` must not be known to have happened in another order."""
    within_s: float | None = None
    """With `in_order`: at most this many seconds between the first and the last, where both times are known."""


class Proof(_Part):
    """Why what a criterion matched needs no second source (docs/adr/0012-observations-that-prove-themselves.md)."""

    kinds: tuple[Kind, ...]
    """Documents in which the reporter itself speaks; elsewhere somebody repeats what it said."""
    because: str
    """Who says it of what is its own, and why no other class makes it say so."""


class Criterion(Predicate):
    """One thing a class looks for."""

    id: str
    strength: Strength = Strength.STRONG
    because: str
    """One sentence; `{entity}` and attributes of the first matched signal may be used in braces."""
    first: bool = True
    """Whether what matched may be the first fault."""
    source: str | None = None
    proof: Proof | None = None

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not self.any and not self.all:
            msg = f"criterion `{self.id}` names no signal under `any` or `all`"
            raise ValueError(msg)
        if self.proof is not None and self.strength is not Strength.DECISIVE:
            msg = f"criterion `{self.id}` is said to prove the class and is not decisive"
            raise ValueError(msg)
        return self


class Absence(_Part):
    """Signals a completely read source would hold if the class were true: their verified absence rules it out."""

    id: str
    expects: Strings
    kind: tuple[Kind, ...]
    because: str


class Need(_Part):
    """A source that would decide, for gaps and for untested hypotheses. `command` is what a human runs to get it."""

    kind: Kind
    would_tell: str
    command: str | None = None


class Mechanism(Predicate):
    """A named way the class comes about; the first whose condition holds is taken (no condition: always)."""

    name: str
    because: str | None = None
    owner: Owner | None = None
    summary: str | None = None


class CulpritRule(Predicate):
    """Where the name of the thing at fault comes from: the entity of a signal, or one of its attributes.

    With a condition the rule counts only where that holds.
    """

    signal: Strings
    take: str = "entity"
    """`entity`, `node` or the name of an attribute."""
    kind: EntityKind | None = None
    named: str = "{}"
    """How the name is written: `{}` for what was taken, `{entity}` for what the signal is about: `Link {} of {entity}`."""


class ActionRule(Predicate):
    """A recommended action; without a condition always. `target`: culprit, node, pod, job, workload, cluster."""

    action: Action
    target: Literal["culprit", "node", "pod", "job", "workload", "change", "cluster"] = "culprit"
    why: str


class DoNotRule(Predicate):
    """A tempting wrong action and why not."""

    action: str
    why: str


class OwnerRule(Predicate):
    """Who owns it under a condition; the first that holds wins over the default owner."""

    owner: Owner


class ClassDefinition(_Part):
    """One failure class of the taxonomy."""

    failure_class: str = Field(alias="class")
    title: str
    """What is wrong in a few words, used in the summary when no mechanism has its own."""
    owner: Owner
    sources: tuple[str, ...]
    """Documentation the definition was written from."""
    looks_for: tuple[Criterion, ...]
    contradicted_by: tuple[Criterion, ...] = ()
    absences: tuple[Absence, ...] = ()
    explains: Strings = ()
    """Signals that follow if this class is true: they are consequences, not rivals."""
    rivals: Strings = ()
    """Classes that look alike and must be ruled out for CONFIRMED."""
    needs: tuple[Need, ...] = ()
    first_fault: Strings = ()
    """Preferred signals for the first fault, most preferred first; empty: what the criteria matched."""
    roots: Strings = ()
    """Signals that, wherever they are seen, are where this class begins: a setting, a first sign. They do not speak for
    the class alone, so they are no criteria."""
    changes: Strings = ("change.*",)
    """Records of change that can bring it about (`agent.correlate.blame`); empty: a change is never blamed."""
    likely_changes: Strings = ()
    """Kinds of change that so plainly bring it about that no word in common is needed."""
    change_is_culprit: bool = True
    """Whether a blamed change is what is at fault; else it is named as the cause of the culprit's state."""
    mechanisms: tuple[Mechanism, ...] = ()
    culprit: tuple[CulpritRule, ...] = ()
    owners: tuple[OwnerRule, ...] = ()
    actions: tuple[ActionRule, ...] = ()
    do_not: tuple[DoNotRule, ...] = ()
    confirmable: bool = True
    """Whether two independent sources can prove it; where not, only a criterion with a `proof` can."""

    @cached_property
    def layer(self) -> str:
        """Return the layer, the part of the class name before the dot."""
        return self.failure_class.partition(".")[0]


def parse_class(text: str, origin: str) -> ClassDefinition:
    """Return the definition in YAML `text`.

    Raises ClassError naming `origin` and the first field at fault.
    """
    try:
        return ClassDefinition.model_validate(yaml.load(text, Loader=_LOADER))  # noqa: S506 - both are safe
    except yaml.YAMLError as error:
        msg = f"`{origin}` is not YAML: {error}"
        raise ClassError(msg) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        msg = f"`{origin}`, field `{where}`: {first['msg']}"
        raise ClassError(msg) from error


@lru_cache(maxsize=1)
def load_classes() -> tuple[ClassDefinition, ...]:
    """Return all shipped definitions, ordered by class name. Raises ClassError when one cannot be read."""
    folder = resources.files("firstfault.agent.classes") / "definitions"
    files = sorted(
        (item for item in folder.iterdir() if item.name.endswith(".yaml")),
        key=lambda item: item.name,
    )
    found = tuple(parse_class(item.read_text(encoding="utf-8"), item.name) for item in files)
    return tuple(sorted(found, key=lambda definition: definition.failure_class))
