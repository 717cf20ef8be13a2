"""What can be gone back to: a field of one object, what stood there, and what stands there now."""

from dataclasses import dataclass

from firstfault.tools.readings import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The object that is written to."""

    kind: str
    name: str
    namespace: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """What to go back to. field: where it is written in the object at `place`; before, now: what stood and what stands there.

    touches_storage: whether volumes would change; None when it is not known, which denies.
    """

    field: tuple[str, ...]
    before: Json
    now: Json
    touches_storage: bool | None
    name: str
    place: Place
