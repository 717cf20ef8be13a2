"""`firstfault config`: what is set, and where."""

import json

import click

from firstfault.cli.configuration import config_file, settings_in_force


@click.group()
def config() -> None:
    """Show the settings in force."""


@config.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def show(*, as_json: bool) -> None:
    """Print every setting with where it comes from; secrets are masked."""
    from firstfault.agent.render.safety import one_line
    from firstfault.agent.settings import Origin, read_tables, shown

    settings, file = settings_in_force(), config_file()
    rows = list(shown(settings, read_tables(file)))
    if as_json:
        click.echo(
            json.dumps({row.name: {"value": row.value, "from": row.origin.value} for row in rows}, indent=2)
        )
        return
    click.echo(f"# settings file: {file or 'none'}")
    for row in rows:
        value = "" if row.value is None else json.dumps(row.value)
        origin = "" if row.origin is Origin.DEFAULT else f"  # {row.origin.value}"
        click.echo(one_line(f"{row.name} = {value}{origin}"))
