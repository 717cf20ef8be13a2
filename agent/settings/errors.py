"""What can be wrong with settings.

SettingsError
├── UnreadableSettingsError   the file cannot be read, or is not TOML
├── UnknownSettingError       a name that firstfault does not know
└── BadSettingError           a value that cannot be used

Each message is one line and names the remedy; no message holds the value of a secret.
"""


class SettingsError(Exception):
    """The settings cannot be used."""


class UnreadableSettingsError(SettingsError):
    """The file cannot be read, or is not TOML."""


class UnknownSettingError(SettingsError):
    """A name that firstfault does not know."""


class BadSettingError(SettingsError):
    """A value that cannot be used."""
