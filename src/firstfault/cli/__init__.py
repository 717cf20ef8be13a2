"""The command line: the top layer, where everything is put together."""

import importlib
import os
from typing import Any

import click

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

COMMANDS = {
    "investigate": "investigate",
    "explain": "explain",
    "evals": "evals",
    "audit": "audit",
    "incidents": "incidents",
    "db": "db",
    "config": "config",
    "policy": "policy",
    "breaker": "breaker",
    "approvals": "approvals",
    "executor": "executor",
    "model": "model",
    "serve": "serve",
    "doctor": "doctor",
    "capture": "capture",
    "shadow": "shadow",
}
"""Command → module in this package that holds a click command of the same name; imported only when it is used."""


class _Lazy(click.Group):
    """A group whose commands are imported when they are asked for, so that each starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        found: Any = getattr(importlib.import_module(f"firstfault.cli.{module}"), cmd_name)
        return found if isinstance(found, click.Command) else None


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="firstfault")
def main() -> None:
    """Find the fault that happened first, with evidence. Read-only: firstfault recommends, people decide."""
