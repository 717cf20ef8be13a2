"""What ports have in common that show messages and hear nothing back."""

from datetime import datetime

from firstfault.agent.slack.ports.port import Found, Picture


class OneWay:
    """The part of `Port` that asks what is shown, for places that cannot be asked and show no pictures."""

    def find(self, channel: str, key: str, thread: str | None, since: datetime) -> Found | None:
        """Return None: a message twice is better than none; its key says that it is the same."""
        del channel, key, thread, since

    def upload(self, channel: str, thread: str | None, picture: Picture) -> str:
        """Return the name of the picture, which is on the page of the incident."""
        del channel, thread
        return picture.name

    def find_picture(self, channel: str, thread: str | None, name: str) -> str | None:
        """Return the name: there is nothing to send."""
        del channel, thread
        return name
