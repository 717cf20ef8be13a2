"""The tables of `firstfault.toml` for the chat: Slack, and the same messages elsewhere."""

from typing import Literal

from pydantic import Field, SecretStr, field_validator

from firstfault.agent.settings.sections import Headers, HttpUrl, Section


class SlackRoute(Section):
    """Which incidents go to a channel: all that is given must fit. The first route that fits is taken."""

    channel: str = Field(min_length=1)
    """Id of the channel (`C…`)."""
    cluster: str | None = None
    """What the alert says of its cluster; without one, `kubernetes.cluster`."""
    team: str | None = None
    """Label `team` of the alert."""
    severity: str | None = None
    """Label `severity` of the alert."""


class SlackSettings(Section):
    """A Slack app. Without `bot_token` there is no Slack; with it alone the bot posts and hears nobody."""

    bot_token: SecretStr | None = None
    """Token that posts (`xoxb-…`)."""
    app_token: SecretStr | None = None
    """Token of the socket (`xapp-…`)."""
    signing_secret: SecretStr | None = None
    """Without a socket: Slack posts to `/slack/events` of `firstfault serve`, signed with this."""
    base_url: HttpUrl | None = None
    """Address of another server that speaks the Slack API."""
    channel: str | None = None
    """Id of the channel for incidents that no route names."""
    shadow_channel: str | None = None
    """Id of the channel for what is only scored; without it such reports are kept and not posted."""
    routes: tuple[SlackRoute, ...] = ()
    """Channels by cluster, team and severity."""
    people: dict[str, str] = Field(default_factory=dict[str, str])
    """Slack id of a person (`U…`) → the name in `[approvers]`; without one the id is the name."""
    groups: dict[str, str] = Field(default_factory=dict[str, str])
    """Name of a group in `[approvers]` → Slack user group (`S…`) whose members belong to it as well."""
    strangers: Literal["polite", "silent"] = "polite"
    """What is said in direct messages and in channels that are not configured: one sentence, or nothing."""
    post_interval_s: float = Field(default=1.0, gt=0)
    """Seconds between two messages to one channel; Slack allows one a second."""

    @property
    def channels(self) -> frozenset[str]:
        """Return every channel in which the bot works."""
        named = {route.channel for route in self.routes} | {self.channel, self.shadow_channel}
        return frozenset(channel for channel in named if channel)


class MessageSettings(Section):
    """The same messages for teams without Slack."""

    webhook_url: SecretStr | None = None
    """Address (a secret: some hold a token) that takes each message as JSON: `key`, `text`, `blocks`, `incident`, `update`."""
    webhook_headers: Headers = Field(default_factory=dict[str, SecretStr])
    """Sent with every message; values are secrets."""
    terminal: bool = False
    """Print messages where `firstfault serve` runs."""

    @field_validator("webhook_url")
    @classmethod
    def _is_an_address(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("http://", "https://")):
            msg = "a URL begins with `http://` or `https://`"
            raise ValueError(msg)
        return value
