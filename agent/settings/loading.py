"""Reads the settings, and says in one line what is wrong with them."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from firstfault.agent.settings.errors import BadSettingError, UnknownSettingError, UnreadableSettingsError
from firstfault.agent.settings.names import env_name, nearest, unknown_in_environment, unknown_in_file
from firstfault.agent.settings.settings import LEVEL, PREFIX, Settings

FILE_NAME = "firstfault.toml"
MAX_SHOWN = 3


def settings_file(given: Path | None, folder: Path) -> Path | None:
    """Return the file that holds the settings: the given one, else `firstfault.toml` in `folder`, else None."""
    default = folder / FILE_NAME
    return given or (default if default.is_file() else None)


def load_settings(file: Path | None = None) -> Settings:
    """Return the settings in `file` (None: no file), overridden by the environment of this process.

    Raises SettingsError with one line that names the remedy.
    """
    tables = read_tables(file)
    if unknown := unknown_in_file(tables):
        raise UnknownSettingError(_unknown(unknown, f" in `{file}`", lambda name: name))
    if variables := unknown_in_environment(os.environ):
        names = [variable.upper().removeprefix(PREFIX).replace(LEVEL, ".").lower() for variable in variables]
        raise UnknownSettingError(_unknown(names, " in the environment", env_name))
    try:
        return Settings(**tables)
    except ValidationError as error:
        raise BadSettingError(_bad(error)) from None


def read_tables(file: Path | None) -> dict[str, Any]:
    """Return what `file` holds. Raises UnreadableSettingsError."""
    if file is None:
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"cannot read the settings `{file}`: {error.strerror}"
        raise UnreadableSettingsError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"the settings `{file}` are not TOML: {error}"
        raise UnreadableSettingsError(msg) from error


def _unknown(names: list[str], where: str, spelled: Callable[[str], str]) -> str:
    """Return the one line for unknown names."""
    said: list[str] = []
    for name in names[:MAX_SHOWN]:
        like = nearest(name)
        hint = (
            f"did you mean `{spelled(like)}`?" if like else "see `firstfault config show` for those there are"
        )
        said.append(f"unknown setting `{spelled(name)}`{where}: {hint}")
    return "; ".join(said) + _more(len(names))


def _bad(error: ValidationError) -> str:
    """Return the one line for values that cannot be used; it never holds a value."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    said: list[str] = []
    for problem in problems[:MAX_SHOWN]:
        name = ".".join(str(part) for part in problem["loc"])
        reason = problem["msg"].removeprefix("Value error, ").replace("\n", " ")
        said.append(
            f"the setting `{name}` (`{env_name(name)}`) cannot be used: {reason[:1].lower()}{reason[1:]}"
        )
    return "; ".join(said) + _more(len(problems))


def _more(count: int) -> str:
    return f"; and {count - MAX_SHOWN} more" if count > MAX_SHOWN else ""
