"""The command line: the top layer, where everything is put together."""

import importlib
import importlib.util
import os
from typing import Any

import click

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

COMMANDS = {
    "investigate": "From a recording or an alert to a report.",
    "explain": "Why a class was, or was not, the diagnosis.",
    "incidents": "List, show, search, add and resolve incidents.",
    "serve": "Receive alerts and investigate them.",
    "executor": "Carry out approved decisions; a process of its own.",
    "doctor": "Check sources, permissions and blind spots.",
    "capture": "Write a case folder from live sources.",
    "policy": "Lint, explain, test and compare the gate's rules.",
    "breaker": "Show and reset circuit breakers.",
    "approvals": "List and show approvals.",
    "audit": "Show, verify and export the audit trail.",
    "shadow": "Score against what really happened; promote cells.",
    "evals": "Score the diagnosis on recorded cases.",
    "model": "Check the configured model.",
    "db": "Migrate, back up and prune the database.",
    "config": "Show the settings in force.",
}
"""Command → what it is for. Each lives in the module of the same name in this package and is imported only when used."""


class _Lazy(click.Group):
    """A group whose commands are imported when they are asked for, so that each starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return [name for name in COMMANDS if importlib.util.find_spec(f"{__name__}.{name}")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        found: Any = getattr(importlib.import_module(f"{__name__}.{cmd_name}"), cmd_name)
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="firstfault")
@click.option(
    "--config",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Settings; without it `firstfault.toml` here.",
)
def main(config: str | None) -> None:
    """Find the fault that happened first, with evidence. Read-only: firstfault recommends, people decide."""
    del config  # read by `firstfault.cli.configuration`, when a command asks for settings
