"""What is left out of objects as they come, page by page, so that a fleet fits into memory. Pure.

Left out: which fields each manager owns (its name, verb and time stay: they say who wrote last), the copy of the object
that kubectl keeps in an annotation, and the images that a node has pulled.
"""

from collections.abc import Callable, Mapping
from typing import cast

import orjson

from firstfault.tools.readings import Json

Object = dict[str, Json]
Test = Callable[[Object], bool]
LEFT_OUT = "without managedFields.fieldsV1, last-applied-configuration and node images"
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def slim(item: Object) -> Object:
    """Return the object without what nobody reads; it is changed in place."""
    metadata = _mapping(item, "metadata")
    managers = metadata.get("managedFields")
    if isinstance(managers, list):
        for entry in managers:
            if isinstance(entry, dict):
                entry.pop("fieldsV1", None)
    _mapping(metadata, "annotations").pop(_APPLIED, None)
    _mapping(item, "status").pop("images", None)
    return item


def slim_if(wanted: Test) -> Callable[[Object], Object | None]:
    """Return what keeps the slim form of the objects that are wanted, and drops the others."""
    return lambda item: slim(item) if wanted(item) else None


def line_per_field(item: Mapping[str, Json]) -> bytes:
    """Return the object as JSON with a line for each field, so that each can be cited."""
    return orjson.dumps(item, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)


def at(item: Mapping[str, Json], *path: str) -> Json:
    """Return the value at a path of keys, or None."""
    value: Json = cast("dict[str, Json]", item)
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _mapping(value: Object, name: str) -> Object:
    found = value.get(name)
    return found if isinstance(found, dict) else {}
