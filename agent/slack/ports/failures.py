"""What Slack's errors mean for us: come again, look first, or never.

Source: Slack, "chat.postMessage", "chat.update", "conversations.history" (errors), "Rate limits" (Retry-After).
"""

import re
import socket
from collections.abc import Callable
from http.client import HTTPException
from typing import Any, TypeVar, cast
from urllib.error import URLError

from slack_sdk.errors import SlackApiError, SlackClientError

from firstfault.agent.slack.ports.port import (
    BadBlocksError,
    BusyError,
    ChatError,
    MessageGoneError,
    PlaceGoneError,
    RefusedError,
    UnclearError,
    UnreachableChatError,
)

Result = TypeVar("Result")
_CODE = re.compile(r"[a-z0-9_]+")
_TOO_MANY = 429
_SERVER_FAULT = 500
_USUAL_WAIT_S = 30.0
"""Wait after a 429 without Retry-After. Ours."""
_PLACE_GONE = frozenset(
    {
        "channel_not_found",
        "is_archived",
        "not_in_channel",
        "restricted_action",
        "no_permission",
        "user_not_found",
        "user_is_bot",
        "user_not_in_channel",
    }
)
_MESSAGE_GONE = frozenset({"message_not_found", "thread_not_found", "cant_update_message"})
_BAD_BLOCKS = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
        "msg_too_long",
        "invalid_metadata_format",
    }
)
_NOT_LET_IN = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "missing_scope",
        "not_allowed_token_type",
        "not_authed",
        "token_expired",
        "token_revoked",
    }
)
"""An administrator can put these right: what is to be sent waits until then."""
_LATER = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout", "ratelimited"})


def asked(what: str, call: Callable[[], Result]) -> Result:
    """Return what `call` returns. Raises ChatError, which says what its failure means."""
    try:
        return call()
    except SlackApiError as error:
        raise _meaning(what, error) from error
    except (URLError, ConnectionRefusedError, socket.gaierror) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, ConnectionRefusedError | socket.gaierror):
            msg = f"{what}: Slack cannot be reached: {reason}"
            raise UnreachableChatError(msg) from error
        msg = f"{what}: no answer from Slack: {reason}"
        raise UnclearError(msg) from error
    except (OSError, HTTPException, SlackClientError) as error:
        msg = f"{what}: no answer from Slack: {error}"
        raise UnclearError(msg) from error


def _meaning(what: str, error: SlackApiError) -> ChatError:
    code, status, _ = _told(error)
    if status == _TOO_MANY or code == "ratelimited":
        wait_s = _wait_s(error)
        return BusyError(f"{what}: Slack asks to come again in {wait_s:.0f} s", wait_s)
    if status >= _SERVER_FAULT or code in _LATER or not _CODE.fullmatch(code):
        # What is no code is an answer that was cut off, or came from something between: it may have been done.
        return UnclearError(f"{what}: Slack says {code[:80] or status}")
    return _lasting(what, code)


def _lasting(what: str, code: str) -> ChatError:
    """Return what an error means that will be the same the next time."""
    if code in _NOT_LET_IN:
        return UnreachableChatError(
            f"{what}: Slack does not let us in ({code}): look at the token and the app's scopes"
        )
    kinds = (
        (_BAD_BLOCKS, BadBlocksError, "Slack cannot show it"),
        (_MESSAGE_GONE, MessageGoneError, "the message is gone"),
        (_PLACE_GONE, PlaceGoneError, "invite the bot, or change `slack.routes`: the place is gone"),
    )
    for codes, kind, words in kinds:
        if code in codes:
            return kind(f"{what}: {words} ({code})")
    return RefusedError(f"{what}: Slack says {code or 'no'}")


def _wait_s(error: SlackApiError) -> float:
    _, _, headers = _told(error)
    given = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    return float(given) if given.isdigit() else _USUAL_WAIT_S


def _told(error: SlackApiError) -> tuple[str, int, dict[str, str]]:
    """Return the code, the HTTP status and the headers of an answer."""
    # The library does not say what it holds: a SlackResponse, or None.
    response = cast("Any", error.response)
    if response is None:
        return "", 0, {}
    data = cast("dict[str, Any]", response.data) if isinstance(response.data, dict) else {}
    headers = {str(name): str(value) for name, value in dict(response.headers).items()}
    return str(data.get("error") or ""), int(response.status_code), headers
