"""`views.open`, `views.push`, `views.update`, and what an answer to a submitted modal does."""

import json

from firstfault.evals.sim.kube_json import Body
from tests.slackworld.errors import Error, Refused
from tests.slackworld.limits import faults_in_view
from tests.slackworld.slack import APP_ID, Slack

MOST_VIEWS = 3
VIEW_CHARS = 250_000


def open_view(slack: Slack, args: Body) -> Body:
    """Show a modal to whom the trigger belongs."""
    content = _checked(args)
    with slack.workspace.changed:
        trigger = slack.trigger(str(args.get("trigger_id")))
        view = made(slack, content)
        trigger.is_used = True
        slack.modals[trigger.user_id] = [view]
        slack.workspace.changed.notify_all()
    return {"view": view}


def push(slack: Slack, args: Body) -> Body:
    """Lay a modal over the one that is open."""
    content = _checked(args)
    with slack.workspace.changed:
        trigger = slack.trigger(str(args.get("trigger_id")))
        stack = slack.modals.get(trigger.user_id, [])
        if not stack:
            raise Refused(Error.NOT_FOUND)
        if len(stack) >= MOST_VIEWS:
            raise Refused(Error.PUSH_LIMIT_REACHED)
        trigger.is_used = True
        view = made(slack, content, below=stack)
        stack.append(view)
        slack.workspace.changed.notify_all()
    return {"view": view}


def update(slack: Slack, args: Body) -> Body:
    """Change an open modal. Raises Refused when it is closed, or changed since (`hash`)."""
    content = _checked(args)
    with slack.workspace.changed:
        before = _find(slack, args)
        if args.get("hash") not in {None, before["hash"]}:
            raise Refused(Error.HASH_CONFLICT)
        replace(slack, before, content)
    return {"view": before}


def made(slack: Slack, content: Body, below: list[Body] | None = None) -> Body:
    """Return a view as Slack keeps it."""
    view_id = slack.workspace.new_id("V")
    return {
        "id": view_id,
        "team_id": slack.workspace.team_id,
        "app_id": APP_ID,
        "bot_id": slack.bot_id,
        "app_installed_team_id": slack.workspace.team_id,
        "type": "modal",
        "previous_view_id": below[-1]["id"] if below else None,
        "root_view_id": below[0]["id"] if below else view_id,
        **_content(slack, content),
    }


def replace(slack: Slack, view: Body, content: Body) -> None:
    """Give an open view new content; what was typed into blocks that stay is kept."""
    typed = view["state"]["values"]
    view |= _content(slack, content)
    names = {block.get("block_id") for block in view["blocks"]}
    view["state"] = {"values": {name: value for name, value in typed.items() if name in names}}
    slack.workspace.changed.notify_all()


def _content(slack: Slack, content: Body) -> Body:
    blocks = [
        {**block, "block_id": block.get("block_id") or f"b{number}"}
        for number, block in enumerate(content["blocks"])
    ]
    kept = {
        "private_metadata": "",
        "callback_id": "",
        "external_id": "",
        "clear_on_close": False,
        "notify_on_close": False,
        "close": None,
        "submit": None,
    }
    ts = slack.workspace.new_ts()
    return {**kept, **content, "blocks": blocks, "state": {"values": {}}, "hash": f"{ts}.{len(blocks)}"}


def _find(slack: Slack, args: Body) -> Body:
    for stack in slack.modals.values():
        for view in stack:
            if view["id"] == args.get("view_id") or (
                view["external_id"] and view["external_id"] == args.get("external_id")
            ):
                return view
    raise Refused(Error.NOT_FOUND)


def _checked(args: Body) -> Body:
    content: Body = args.get("view") or {}
    if len(json.dumps(content)) > VIEW_CHARS:
        raise Refused(Error.VIEW_TOO_LARGE)
    refuse_bad(content)
    return content


def refuse_bad(content: Body) -> None:
    """Raise Refused when Slack would not take the view."""
    found = faults_in_view(content)
    if found:
        messages = [f"[ERROR] {each}" for each in found]
        raise Refused(Error.INVALID_ARGUMENTS, {"response_metadata": {"messages": messages}})
