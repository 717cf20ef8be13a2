"""Reads the policy, cell and limit files and hands their text to `firstfault.policies`, which does no I/O itself.

Errors
└── PolicyError, LimitError, CellError (from `firstfault.policies`)      with the file's name and the remedy
"""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from firstfault.policies.cedar import compile_policies
from firstfault.policies.cells import Cells
from firstfault.policies.engine import Policies
from firstfault.policies.limits import LimitError, Limits, parse_overrides
from firstfault.policies.texts import PolicyError

ENV_PREFIX = "FIRSTFAULT_LIMITS__"


def load_policies(site: Path | None = None) -> Policies:
    """Return the built-in policies with the operator's own `*.cedar` from `site`. Raises PolicyError."""
    package = resources.files("firstfault.policies")
    builtin = {
        item.name: item.read_text("utf-8") for item in package.iterdir() if item.name.endswith(".cedar")
    }
    schema = package.joinpath("firstfault.cedarschema").read_text("utf-8")
    cells = Cells.parse(package.joinpath("cells.toml").read_text("utf-8"))
    return Policies(book=compile_policies(builtin, schema, _site_files(site)), cells=cells)


def _site_files(site: Path | None) -> dict[str, str]:
    if site is None:
        return {}
    if not site.is_dir():
        msg = f"`{site}` is not a folder: point the site policies at a folder of `.cedar` files"
        raise PolicyError(msg)
    try:
        return {file.name: file.read_text("utf-8") for file in sorted(site.glob("*.cedar"))}
    except (OSError, UnicodeDecodeError) as error:
        msg = f"`{site}` cannot be read: {error}"
        raise PolicyError(msg) from error


def load_limits(override: Path | None = None, environment: Mapping[str, str] | None = None) -> Limits:
    """Return the built-in limits, overridden by the file `override`, then by `FIRSTFAULT_LIMITS__NAME`. Raises LimitError."""
    limits = Limits.parse(resources.files("firstfault.policies").joinpath("limits.toml").read_text("utf-8"))
    if override is not None:
        try:
            text = override.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            msg = f"`{override}` cannot be read: {error}"
            raise LimitError(msg) from error
        limits = limits.overridden(parse_overrides(text, f"`{override}`"), f"`{override}`")
    return limits.overridden(_from_environment(environment or {}), "the environment")


def _from_environment(environment: Mapping[str, str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for key, value in sorted(environment.items()):
        if key.startswith(ENV_PREFIX):
            if not value.strip().isdecimal():
                msg = f"`{key}` is `{value}`: use a whole number"
                raise LimitError(msg)
            found[key.removeprefix(ENV_PREFIX).lower()] = int(value)
    return found
