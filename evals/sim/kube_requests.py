"""One request to the stand-in: what it is about, who asks, and what was answered."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firstfault.evals.sim.kube_errors import forbidden, unauthorized, unknown_path
from firstfault.evals.sim.kube_kinds import ServedKind

_PATH = re.compile(
    r"(?P<root>/api/v1|/apis/[^/]+/[^/]+)(?:/namespaces/(?P<namespace>[^/]+)(?=/))?"
    r"/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>[^/]+))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came in."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any = None

    @property
    def is_dry(self) -> bool:
        """Return whether nothing is to be stored."""
        return self.query.get("dryRun") == "All"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A request with the answer's code, kept for tests. user: who asked."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Any
    code: int
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a path names."""

    kind: ServedKind
    namespace: str | None
    name: str | None
    sub: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Somebody with a token. may: `verb resource` or `verb resource/sub`, `*` for either; empty allows nothing."""

    name: str
    may: frozenset[str] = field(default_factory=lambda: frozenset({"* *"}))

    def allows(self, verb: str, resource: str) -> bool:
        """Return whether the user may."""
        return bool({f"{verb} {resource}", f"{verb} *", f"* {resource}", "* *"} & self.may)


READER = frozenset({"get *", "list *", "watch *"})
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


def place_of(path: str, kinds: Mapping[tuple[str, str], ServedKind]) -> Place:
    """Return what `path` names. Raises Refusal (404, plain text) for what is not served."""
    found = _PATH.fullmatch(path)
    if found is None:
        raise unknown_path()
    kind = kinds.get((found["root"], found["plural"]))
    if kind is None:
        raise unknown_path()
    return Place(kind=kind, namespace=found["namespace"], name=found["name"], sub=found["sub"])


def user_of(asked: Asked, users: Mapping[str, User]) -> User:
    """Return who asks. Raises Refusal (401)."""
    token = asked.headers.get("authorization", "").removeprefix("Bearer ").strip()
    user = users.get(token)
    if user is None:
        raise unauthorized()
    return user


def require_right(user: User, asked: Asked, place: Place) -> None:
    """Return when the user may do it. Raises Refusal (403)."""
    reads = "watch" if asked.query.get("watch") == "true" else "get" if place.name else "list"
    verb = _VERBS.get(asked.method, reads)
    resource = f"{place.kind.plural}/{place.sub}" if place.sub else place.kind.plural
    if not user.allows(verb, resource):
        raise forbidden(user.name, verb, resource, place.kind.group, place.name)
