"""The names that buttons, modals and requests carry: what a click means. They come back from Slack as they were given."""

from enum import StrEnum

COMMAND = "/firstfault"
SHORTCUT = "investigate_this"


class Click(StrEnum):
    """What a button is for (`action_id`); its value holds ids only, the authority is the database."""

    APPROVE = "firstfault.approve"
    REJECT = "firstfault.reject"
    EVIDENCE = "firstfault.evidence"
    AGREE = "firstfault.agree"
    WRONG = "firstfault.wrong"
    RERUN = "firstfault.rerun"
    SNOOZE = "firstfault.snooze"
    OPEN = "firstfault.open"
    """Opens a page; nothing is to be done."""


class Form(StrEnum):
    """What a modal is for (`callback_id`)."""

    APPROVE = "firstfault.approve"
    REJECT = "firstfault.reject"
    WRONG = "firstfault.wrong"
    SNOOZE = "firstfault.snooze"
    SHOW = "firstfault.show"
    """Only to be read."""


class Ask(StrEnum):
    """What somebody asked for (`kind` of a kept request)."""

    COMMAND = "command"
    MENTION = "mention"
    SHORTCUT = "shortcut"
    RERUN = "rerun"
