"""The Bolt app: what comes from Slack to the handlers, and what they answer back. Translation only.

Handlers run before Slack is answered (`process_before_response`): what is acknowledged is in the database; what could not be
kept is not acknowledged, and Slack sends it again.
"""

import re
from collections.abc import Mapping
from typing import Any, cast

from slack_bolt import Ack, App, BoltRequest
from slack_sdk import WebClient

from firstfault.agent.slack.blocks.names import COMMAND, SHORTCUT
from firstfault.agent.slack.inbound.clicks import Clicks
from firstfault.agent.slack.inbound.forms import Forms
from firstfault.agent.slack.inbound.reception import Reception
from firstfault.agent.slack.ports.calls import silent_logger
from firstfault.agent.slack.ports.payloads import part, rows, text

_OURS = re.compile(r"^firstfault\.")
Body = dict[str, Any]


def make_app(
    client: WebClient, signing_secret: str | None, reception: Reception, clicks: Clicks, forms: Forms
) -> App:
    """Return the app. signing_secret: None where only the socket brings anything in."""
    app = App(
        client=client,
        signing_secret=signing_secret or "",
        request_verification_enabled=signing_secret is not None,
        process_before_response=True,
        token_verification_enabled=False,
        # What a program says is dropped by `Reception`, ours included.
        ignoring_self_events_enabled=False,
        logger=silent_logger(),
    )

    def mentioned(body: Body) -> None:
        reception.mention(body)

    def written(body: Body) -> None:
        if part(body, "event").get("channel_type") == "im":
            reception.direct(body)

    def commanded(ack: Ack, body: Body) -> None:
        said = reception.command(body)
        ack(said) if said else ack()

    def picked(ack: Ack, body: Body) -> None:
        reception.shortcut(body)
        ack()

    def clicked(ack: Ack, body: Body) -> None:
        caller = reception.caller_of(body)
        if caller is not None:
            for action in rows(body, "actions"):
                clicks.handle(text(action, "action_id"), text(action, "value"), caller)
        ack()

    def submitted(ack: Ack, body: Body) -> None:
        caller = reception.caller_of(body)
        ack(**({} if caller is None else forms.submit(part(body, "view"), caller)))

    # The library leaves the types of its decorators open.
    routes = cast("Any", app)
    routes.event("app_mention")(mentioned)
    routes.event("message")(written)
    routes.command(COMMAND)(commanded)
    routes.shortcut(SHORTCUT)(picked)
    routes.action(_OURS)(clicked)
    routes.view(_OURS)(submitted)
    return app


def answer_http(app: App, body: str, headers: Mapping[str, str]) -> tuple[int, str, dict[str, str]]:
    """Return status, body and headers for what Slack posted: the signature is checked first."""
    response = app.dispatch(BoltRequest(body=body, headers=dict(headers)))
    shown = {name: values[0] for name, values in response.headers.items() if values}
    return response.status, response.body or "", shown
