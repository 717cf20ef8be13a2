"""Objects with resource versions, and every change in order, so that lists, watches and conflicts behave as on a server."""

import copy
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from firstfault.evals.sim.kube_errors import already_exists, conflict, expired, invalid, not_found
from firstfault.evals.sim.kube_json import Body
from firstfault.evals.sim.kube_kinds import ServedKind
from firstfault.evals.sim.kube_rules import faults_of

FIRST_VERSION = 100
EPOCH = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One change: ADDED, MODIFIED or DELETED, and the object after it."""

    version: int
    type: str
    kind: ServedKind
    object: Body


class ObjectStore:
    """All objects of one pretended cluster. `reactions` run after every change, as controllers would."""

    def __init__(self, clock: Callable[[], datetime] | None = None) -> None:
        """Take a clock for time stamps; without one, time passes a second per change."""
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.happenings: list[Happening] = []
        self.version = FIRST_VERSION
        self.oldest = 0
        self.reactions: list[Callable[[ObjectStore, Happening], None]] = []
        self._clock = clock or self._tick
        self._objects: dict[tuple[str, str], dict[tuple[str, str], Body]] = {}

    def _tick(self) -> datetime:
        return EPOCH + timedelta(seconds=self.version - FIRST_VERSION)

    def now(self) -> str:
        """Return the time as the API writes it."""
        return self._clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def find(self, kind: ServedKind, name: str, namespace: str = "") -> Body | None:
        """Return a copy of one object, or None."""
        with self.lock:
            found = self._objects.get(kind.key, {}).get((namespace, name))
            return copy.deepcopy(found)

    def get(self, kind: ServedKind, name: str, namespace: str = "") -> Body:
        """Return a copy of one object. Raises Refusal (404)."""
        found = self.find(kind, name, namespace)
        if found is None:
            raise not_found(kind.qualified, name)
        return found

    def all(self, kind: ServedKind, namespace: str | None = None) -> list[Body]:
        """Return copies of all objects, by namespace and name."""
        with self.lock:
            rows = sorted(self._objects.get(kind.key, {}).items())
            return [copy.deepcopy(body) for (where, _), body in rows if namespace in {None, where}]

    def create(
        self, kind: ServedKind, body: Mapping[str, Any], namespace: str = "", *, dry: bool = False
    ) -> Body:
        """Return the object as created. Raises Refusal (409, 422)."""
        with self.lock:
            made = copy.deepcopy(dict(body))
            metadata = made.setdefault("metadata", {})
            name = metadata.get("name") or f"{metadata.get('generateName', '')}{self.version:x}"
            metadata["name"] = name
            faults = faults_of(kind, made)
            if faults:
                raise invalid(kind.kind, name, faults)
            if (namespace, name) in self._objects.get(kind.key, {}):
                raise already_exists(kind.qualified, name)
            if namespace:
                metadata["namespace"] = namespace
            uid = uuid.uuid5(uuid.NAMESPACE_URL, f"{kind.plural}/{namespace}/{name}/{self.version}")
            metadata |= {
                "uid": str(uid),
                "creationTimestamp": self.now(),
                "generation": 1,
                "managedFields": [{}],
            }
            made |= {"kind": kind.kind, "apiVersion": f"{kind.group}/{kind.version}".lstrip("/")}
            return made if dry else self._put("ADDED", kind, made)

    def replace(self, kind: ServedKind, body: Body, *, dry: bool = False) -> Body:
        """Return the object as changed. Raises Refusal: 409 for a stale version, 404, 422."""
        with self.lock:
            metadata = body["metadata"]
            before = self.get(kind, metadata["name"], metadata.get("namespace", ""))
            if metadata.get("resourceVersion") not in {None, before["metadata"]["resourceVersion"]}:
                raise conflict(kind.qualified, metadata["name"])
            if metadata.get("uid", before["metadata"]["uid"]) != before["metadata"]["uid"]:
                raise conflict(kind.qualified, metadata["name"])
            faults = faults_of(kind, body, before)
            if faults:
                raise invalid(kind.kind, metadata["name"], faults)
            if body.get("spec") != before.get("spec"):
                metadata["generation"] = before["metadata"].get("generation", 1) + 1
            if {**body, "metadata": None} == {**before, "metadata": None} and _same_marks(body, before):
                return before
            return body if dry else self._put("MODIFIED", kind, body)

    def delete(self, kind: ServedKind, name: str, namespace: str = "") -> Body:
        """Return the object that was there. Raises Refusal (404)."""
        with self.lock:
            gone = self.get(kind, name, namespace)
            del self._objects[kind.key][(namespace, name)]
            self._note("DELETED", kind, gone)
            return gone

    def copied(self) -> "ObjectStore":
        """Return another store with the same objects at the same version, watched by the same controllers."""
        with self.lock:
            other = ObjectStore()
            other.version = other.oldest = self.version
            other.reactions = list(self.reactions)
            other._objects = copy.deepcopy(self._objects)
            return other

    def dump(self) -> dict[str, list[Body]]:
        """Return copies of all objects by the plural of their kind."""
        with self.lock:
            return {plural: list(copy.deepcopy(rows).values()) for (_, plural), rows in self._objects.items()}

    def since(self, version: int) -> list[Happening]:
        """Return the changes after `version`. Raises Refusal (410) when they were compacted away."""
        with self.lock:
            if version < self.oldest:
                raise expired(version, self.oldest)
            return [happening for happening in self.happenings if happening.version > version]

    def compact(self) -> None:
        """Forget every change so far: older versions are answered with 410 from now on."""
        with self.lock:
            self.oldest = self.version
            self.happenings = []

    def react(self, *reactions: "Callable[[ObjectStore, Happening], None]") -> None:
        """Have controllers watch from now on."""
        self.reactions.extend(reactions)

    def load(self, kind: ServedKind, bodies: Iterable[Mapping[str, Any]]) -> None:
        """Create many objects, each in the namespace that it names."""
        for body in bodies:
            self.create(kind, body, body["metadata"].get("namespace", ""))

    def _put(self, change: str, kind: ServedKind, body: Body) -> Body:
        metadata = body["metadata"]
        self._objects.setdefault(kind.key, {})[(metadata.get("namespace", ""), metadata["name"])] = body
        self._note(change, kind, body)
        return copy.deepcopy(body)

    def _note(self, change: str, kind: ServedKind, body: Body) -> None:
        self.version += 1
        body["metadata"]["resourceVersion"] = str(self.version)
        happening = Happening(version=self.version, type=change, kind=kind, object=copy.deepcopy(body))
        self.happenings.append(happening)
        self.changed.notify_all()
        for reaction in self.reactions:
            reaction(self, happening)


def _same_marks(body: Body, before: Body) -> bool:
    return all(
        body["metadata"].get(name) == before["metadata"].get(name) for name in ("labels", "annotations")
    )
