"""The command line: the top layer, where everything is put together."""

import click


@click.group()
@click.version_option(package_name="firstfault")
def main() -> None:
    """Finds the fault that happened first, with evidence."""
