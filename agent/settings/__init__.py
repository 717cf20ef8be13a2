"""What can be set, read from `firstfault.toml` and the environment; unknown names are refused."""

from firstfault.agent.settings.errors import (
    BadSettingError,
    SettingsError,
    UnknownSettingError,
    UnreadableSettingsError,
)
from firstfault.agent.settings.loading import load_settings, read_tables, settings_file
from firstfault.agent.settings.settings import Settings
from firstfault.agent.settings.showing import Origin, Shown, masked_url, shown

__all__ = [
    "BadSettingError",
    "Origin",
    "Settings",
    "SettingsError",
    "Shown",
    "UnknownSettingError",
    "UnreadableSettingsError",
    "load_settings",
    "masked_url",
    "read_tables",
    "settings_file",
    "shown",
]
