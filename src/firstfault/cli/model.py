"""`firstfault model`: what the configured model can do."""

import sys

import click

from firstfault.cli.configuration import settings_in_force
from firstfault.cli.thinking import client_of
from firstfault.cli.workbench import redactor

NOT_USABLE = 2
_MARKS = {True: "yes", False: "NO", None: ""}


@click.group()
def model() -> None:
    """The language model, if one is configured. None is needed."""


@model.command()
def check() -> None:
    """Ask the model two questions and print what it can do."""
    from firstfault.agent.model.capabilities import probe

    settings = settings_in_force()
    if settings.model.name is None:
        click.echo("no model is configured: set `FIRSTFAULT_MODEL__NAME`; everything works without one")
        return
    client = client_of(settings.model, redactor(settings))
    found = probe(client, lambda: client.dialect.structured.value)
    click.echo(f"{'server':<23} {settings.model.shown_address}")
    for finding in found.findings:
        click.echo(f"{finding.what:<18} {_MARKS[finding.passed]:<4} {finding.answer}")
    if not found.usable:
        sys.exit(NOT_USABLE)
