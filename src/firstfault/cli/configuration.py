"""Where the settings of this process come from, and what is opened by them."""

import os
from pathlib import Path

import click

from firstfault.agent.settings import Settings, SettingsError, load_settings, settings_file
from firstfault.agent.store import Store, StoreError, open_store, state_folder


class NothingUsable(click.ClickException):
    """Ends the command with exit code 2 and one line on stderr."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        """Print the line."""
        del file
        click.echo(f"firstfault: {self.message}", err=True)


def config_file() -> Path | None:
    """Return the settings file: `--config`, else `firstfault.toml` in this folder, else None."""
    context = click.get_current_context(silent=True)
    given = context.find_root().params.get("config") if context else None
    return settings_file(Path(str(given)) if given else None, Path.cwd())


def settings_in_force() -> Settings:
    """Return the settings. Raises NothingUsable with the line that names the remedy."""
    try:
        return load_settings(config_file())
    except SettingsError as error:
        raise NothingUsable(str(error)) from error


def state() -> Path:
    """Return the folder of the state of this machine."""
    return state_folder(os.environ)


def opened_store(settings: Settings | None = None) -> Store:
    """Return the store that the settings name. Raises NothingUsable with the line that names the remedy."""
    chosen = settings or settings_in_force()
    try:
        return open_store(state(), url=chosen.address, key_file=chosen.signing_key_file)
    except StoreError as error:
        raise NothingUsable(str(error)) from error
