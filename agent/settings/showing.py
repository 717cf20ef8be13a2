"""The settings as they are in force, where each comes from, secrets masked."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from pydantic import BaseModel, SecretStr

from firstfault.agent.settings.names import env_name
from firstfault.agent.settings.settings import LEVEL, Settings

MASK = "********"
_URL_PASSWORD = re.compile(r"(?<=://)([^/?#@\s]*?:)[^/?#\s]*(?=@)")


class Origin(StrEnum):
    """Where a value comes from."""

    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One setting. value: JSON-safe, with secrets masked."""

    name: str
    value: Any
    origin: Origin


def shown(settings: Settings, tables: Mapping[str, Any]) -> Iterator[Shown]:
    """Give every setting; `tables` is what the file holds."""
    for name, value in _values(settings, ""):
        yield Shown(name=name, value=_safe(name, value), origin=_origin(name, tables))


def masked_url(url: str) -> str:
    """Return `url` with its password masked."""
    return _URL_PASSWORD.sub(rf"\g<1>{MASK}", url)


def _values(model: BaseModel, above: str) -> Iterator[tuple[str, Any]]:
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            yield from _values(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _safe(name: str, value: Any) -> Any:  # noqa: ANN401 - any value of a setting
    if isinstance(value, SecretStr):
        return masked_url(value.get_secret_value()) if name == "database_url" else MASK
    if isinstance(value, Mapping):
        return {key: _safe(name, item) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_safe(name, item) for item in cast("list[Any]", value)]
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return value if value is None or isinstance(value, bool | int | float) else masked_url(str(value))


def _origin(name: str, tables: Mapping[str, Any]) -> Origin:
    variable = env_name(name)
    set_here = {each.upper() for each, value in os.environ.items() if value}
    above = {env_name(name.rpartition(".")[0])} if "." in name else set[str]()
    if (
        variable in set_here
        or above & set_here
        or any(each.startswith(variable + LEVEL) for each in set_here)
    ):
        return Origin.ENVIRONMENT
    return Origin.FILE if _holds(tables, name.split(".")) else Origin.DEFAULT


def _holds(tables: Mapping[str, Any], path: list[str]) -> bool:
    first, *rest = path
    if first not in tables:
        return False
    return not rest or (isinstance(tables[first], dict) and _holds(tables[first], rest))
