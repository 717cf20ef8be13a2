"""The Web API: who may call what, how often, and what comes back."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl

from firstfault.evals.sim.kube_json import Body
from tests.slackworld import chat, conversations, files, views
from tests.slackworld.errors import Error, Refused
from tests.slackworld.rates import Gatekeeper
from tests.slackworld.slack import APP_TOKEN, BOT_TOKEN, Slack

JSON_ARGUMENTS = ("blocks", "attachments", "metadata", "view", "files")
"""Sent as JSON text where the body is a form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """scopes: any of these is enough; none: any token of the app's own kind."""

    run: Callable[[Slack, Body], Body]
    scopes: tuple[str, ...] = ()
    token: str = BOT_TOKEN


READS = ("channels:read", "groups:read", "im:read", "mpim:read")
HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")
WRITES = ("chat:write",)
METHODS = {
    "apps.connections.open": Method(run=conversations.open_connection, token=APP_TOKEN),
    "auth.test": Method(run=conversations.auth_test),
    "chat.delete": Method(run=chat.delete, scopes=WRITES),
    "chat.getPermalink": Method(run=chat.get_permalink),
    "chat.postEphemeral": Method(run=chat.post_ephemeral, scopes=WRITES),
    "chat.postMessage": Method(run=chat.post_message, scopes=WRITES),
    "chat.update": Method(run=chat.update, scopes=WRITES),
    "conversations.history": Method(run=conversations.history, scopes=HISTORY),
    "conversations.info": Method(run=conversations.info, scopes=READS),
    "conversations.list": Method(run=conversations.listed, scopes=READS),
    "conversations.members": Method(run=conversations.members, scopes=READS),
    "conversations.open": Method(run=conversations.opened, scopes=("im:write", "mpim:write")),
    "conversations.replies": Method(run=conversations.replies, scopes=HISTORY),
    "files.completeUploadExternal": Method(run=files.complete, scopes=("files:write",)),
    "files.getUploadURLExternal": Method(run=files.upload_url, scopes=("files:write",)),
    "reactions.add": Method(run=conversations.react, scopes=("reactions:write",)),
    "reactions.remove": Method(run=conversations.unreact, scopes=("reactions:write",)),
    "usergroups.users.list": Method(run=conversations.group_users, scopes=("usergroups:read",)),
    "users.info": Method(run=conversations.user_info, scopes=("users:read",)),
    "views.open": Method(run=views.open_view),
    "views.push": Method(run=views.push),
    "views.update": Method(run=views.update),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer. code, headers: of HTTP."""

    body: Body
    code: int = 200
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a method with what came back. at: the world's clock."""

    method: str
    args: Body
    said: Said
    at: float

    @property
    def is_ok(self) -> bool:
        """Return whether it had its effect."""
        return bool(self.said.body.get("ok"))


def arguments(content: bytes, content_type: str, query: str) -> Body:
    """Return a call's arguments from JSON or a form. Raises Refused when they cannot be read."""
    if content_type.startswith("application/json"):
        try:
            args = json.loads(content or b"{}")
        except ValueError:
            raise Refused(Error.INVALID_JSON) from None
        if not isinstance(args, dict):
            raise Refused(Error.JSON_NOT_OBJECT)
    else:
        fields = dict(parse_qsl(content.decode(), keep_blank_values=True))
        read = {name: _from_json(name, fields[name]) for name in JSON_ARGUMENTS if name in fields}
        args = {**fields, **read}
    return {**dict(parse_qsl(query)), **args}


def _from_json(name: str, text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise Refused(Error.INVALID_BLOCKS_FORMAT if name == "blocks" else Error.INVALID_ARGUMENTS) from None


def answer(slack: Slack, gatekeeper: Gatekeeper, name: str, args: Body, token: str) -> Said:
    """Return what a method answers; a refusal is an answer too."""
    try:
        method = _let_in(slack, name, token)
        with slack.workspace.changed:
            wait_s = gatekeeper.wait_s(name, str(args.get("channel", "")))
        if wait_s is not None:
            return Said(body={"ok": False, "error": "ratelimited"}, code=429, retry_after_s=wait_s)
        with slack.workspace.changed:
            return Said(body={"ok": True, **method.run(slack, args)})
    except Refused as refused:
        return Said(body={"ok": False, "error": refused.error, **refused.extra})


def _let_in(slack: Slack, name: str, token: str) -> Method:
    method = METHODS.get(name)
    if method is None:
        raise Refused(Error.UNKNOWN_METHOD, {"req_method": name})
    if not token:
        raise Refused(Error.NOT_AUTHED)
    if token not in {BOT_TOKEN, APP_TOKEN}:
        raise Refused(Error.INVALID_AUTH)
    if token != method.token:
        raise Refused(Error.NOT_ALLOWED_TOKEN_TYPE)
    provided = slack.manifest.scopes
    if method.scopes and not provided.intersection(method.scopes):
        shown = {"needed": ",".join(method.scopes), "provided": ",".join(sorted(provided))}
        raise Refused(Error.MISSING_SCOPE, shown)
    return method
