"""Records of changes as signals, so that a class may ask for them and the blame of one is a plain rule. Pure."""

import re
from collections.abc import Iterable, Iterator

from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.kinds import Family
from firstfault.tools.readings import Change
from firstfault.tools.signals import Signal
from firstfault.tools.times import Clock, Stamp

_REPAIR = re.compile(
    r"^\W*(?:bug)?(?:fix(?:e[sd])?|repair(?:ed|s)?|mitigat\w+|work ?around|revert(?:ed|s)?|rollback|roll(?:ed)? back"
    r"|resolv\w+|restor\w+|hot ?fix)\b",
    re.IGNORECASE,
)
"""How the record of a repair begins: it answers a fault, it does not begin one."""


_DEPLOYS = frozenset({EntityKind.WORKLOAD, EntityKind.CONTROLLER})


def change_signals(changes: Iterable[Change]) -> Iterator[Signal]:
    """Yield one `change.<kind>` for each record; attribute `repair` marks those that answer a fault.

    `object`, `object_namespace` and `object_kind` name what was changed, where the record does.
    """
    for change in changes:
        entity = EntityRef(kind=EntityKind.CHANGE, name=change.what)
        yield Signal(
            name=f"change.{change.kind}",
            entity=entity,
            stamp=change.stamp
            or Stamp(clock=Clock.POSITION, raw="", series=change.document.path, position=change.line),
            evidence=change.cite(),
            family=Family.CHANGE,
            attributes={
                "what": change.what,
                "repair": _REPAIR.match(change.what) is not None,
                **({"who": change.who} if change.who else {}),
                **({"why": change.why} if change.why else {}),
                **_object_of(change),
            },
        )


def _object_of(change: Change) -> dict[str, str]:
    """Return what names the one object that deploys something and was changed; nothing when it was another, or several."""
    if len(change.scope) != 1 or change.scope[0].kind not in _DEPLOYS:
        return {}
    (thing,) = change.scope
    said = {"object": thing.name, "object_namespace": thing.namespace, "object_kind": thing.api_kind}
    return {name: text for name, text in said.items() if text}
