"""Calls of the Web API through Slack's own client, with plain answers."""

from typing import cast

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from firstfault.evals.sim.kube_json import Body, Value
from tests.slackworld.slack import BOT_TOKEN


class Caller:
    """One token at one server; nothing is tried again."""

    def __init__(self, api_url: str, token: str = BOT_TOKEN) -> None:
        """Take the base of the Web API."""
        self.client = WebClient(token, base_url=api_url, retry_handlers=[])

    def ok(self, method: str, **args: Value) -> Body:
        """Return what a call answers. Raises SlackApiError when it is refused."""
        return self._answer(method, args)

    def refusal(self, method: str, **args: Value) -> Body:
        """Return what a refused call answers. Raises AssertionError when it is not refused."""
        try:
            said = self._answer(method, args)
        except SlackApiError as refused:
            return cast("Body", refused.response.data)  # pyright: ignore[reportUnknownMemberType]  # not typed there
        raise AssertionError(said)

    def error(self, method: str, **args: Value) -> str:
        """Return the word that a refused call answers."""
        return str(self.refusal(method, **args)["error"])

    def _answer(self, method: str, args: Body) -> Body:
        said = self.client.api_call(method, json=args)  # pyright: ignore[reportUnknownMemberType]  # as above
        return cast("Body", said.data)
