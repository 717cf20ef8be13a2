"""`firstfault model`: what the configured model can do."""

import sys

import click

from firstfault.cli.thinking import ModelSetupError, client_of, model_settings

NOT_USABLE = 2
_MARKS = {True: "yes", False: "NO", None: ""}


@click.group()
def model() -> None:
    """The language model, if one is configured. None is needed."""


@model.command()
def check() -> None:
    """Ask the model two questions and print what it can do."""
    from firstfault.agent.model.capabilities import probe

    try:
        settings = model_settings()
    except ModelSetupError as error:
        click.echo(f"firstfault: {error}", err=True)
        sys.exit(NOT_USABLE)
    if settings.name is None:
        click.echo("no model is configured: set `FIRSTFAULT_MODEL__NAME`; everything works without one")
        return
    client = client_of(settings)
    found = probe(client, lambda: client.dialect.structured.value)
    rows = [
        ("server", settings.shown_address, ""),
        *((f.what, f.answer, _MARKS[f.passed]) for f in found.findings),
    ]
    for what, answer, mark in rows:
        click.echo(f"{what:<18} {mark:<4} {answer}")
    if not found.usable:
        sys.exit(NOT_USABLE)
