"""How the Web API refuses."""

from collections.abc import Mapping
from enum import StrEnum, auto


class Error(StrEnum):
    """Slack's words for what went wrong. Source: docs.slack.dev, errors of each method."""

    ALREADY_REACTED = auto()
    CANT_DELETE_MESSAGE = auto()
    CANT_UPDATE_MESSAGE = auto()
    CHANNEL_NOT_FOUND = auto()
    EXCHANGED_TRIGGER_ID = auto()
    EXPIRED_TRIGGER_ID = auto()
    EXPIRED_URL = auto()
    FILE_NOT_FOUND = auto()
    FILE_NOT_UPLOADED = auto()
    HASH_CONFLICT = auto()
    INVALID_ARGUMENTS = auto()
    INVALID_AUTH = auto()
    INVALID_BLOCKS = auto()
    INVALID_BLOCKS_FORMAT = auto()
    INVALID_CURSOR = auto()
    INVALID_JSON = auto()
    INVALID_METADATA_FORMAT = auto()
    INVALID_NAME = auto()
    INVALID_THREAD_TS = auto()
    INVALID_TRIGGER_ID = auto()
    IS_ARCHIVED = auto()
    JSON_NOT_OBJECT = auto()
    MESSAGE_NOT_FOUND = auto()
    METHOD_NOT_SUPPORTED_FOR_CHANNEL_TYPE = auto()
    MISSING_SCOPE = auto()
    NO_REACTION = auto()
    NO_SUCH_SUBTEAM = auto()
    NO_TEXT = auto()
    NOT_ALLOWED_TOKEN_TYPE = auto()
    NOT_AUTHED = auto()
    NOT_FOUND = auto()
    NOT_IN_CHANNEL = auto()
    PUSH_LIMIT_REACHED = auto()
    SOCKET_MODE_NOT_ENABLED = auto()
    THREAD_NOT_FOUND = auto()
    UNKNOWN_METHOD = auto()
    USED_URL = auto()
    USER_DISABLED = auto()
    USER_NOT_FOUND = auto()
    USER_NOT_IN_CHANNEL = auto()
    VIEW_TOO_LARGE = auto()


class Refused(Exception):
    """The method answers `ok: false`."""

    def __init__(self, error: Error, extra: Mapping[str, object] | None = None) -> None:
        """Take Slack's word for it, and what else the answer holds."""
        super().__init__(error)
        self.error = error
        self.extra = dict(extra or {})
