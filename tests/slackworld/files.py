"""The upload of a file in three steps: an address, the bytes, the share."""

from firstfault.evals.sim.kube_json import Body
from tests.slackworld import chat
from tests.slackworld.errors import Error, Refused
from tests.slackworld.slack import Slack
from tests.slackworld.workspace import Upload


def upload_url(slack: Slack, args: Body) -> Body:
    """Return where to send the bytes."""
    name, length = str(args.get("filename") or ""), int(args.get("length") or 0)
    if not name or length <= 0:
        raise Refused(Error.INVALID_ARGUMENTS)
    file_id = slack.workspace.new_id("F")
    slack.workspace.uploads[file_id] = Upload(id=file_id, name=name, length=length)
    return {"upload_url": f"{slack.url()}/upload/v1/{file_id}", "file_id": file_id}


def receive(slack: Slack, file_id: str, content: bytes) -> str | None:
    """Return what the address of an upload answers; None when it refuses."""
    upload = slack.workspace.uploads.get(file_id)
    if upload is None or upload.length != len(content):
        return None
    upload.content = content
    return f"OK - {len(content)}"


def complete(slack: Slack, args: Body) -> Body:
    """Share uploaded files, into a channel when one is named."""
    rows: list[Body] = args.get("files") or []
    if not rows:
        raise Refused(Error.INVALID_ARGUMENTS)
    uploads = [_uploaded(slack, row) for row in rows]
    for upload, row in zip(uploads, rows, strict=True):
        upload.title = str(row.get("title") or upload.name)
    if args.get("channel_id"):
        _share(slack, uploads, args)
    return {"files": [{"id": each.id, "title": each.title} for each in uploads]}


def _share(slack: Slack, uploads: list[Upload], args: Body) -> None:
    channel = slack.channel(str(args["channel_id"]), is_writing=True)
    shown = [
        {
            "id": each.id,
            "name": each.name,
            "title": each.title,
            "size": each.length,
            "user": slack.bot_user_id,
        }
        for each in uploads
    ]
    message: Body = {"subtype": "file_share", "text": args.get("initial_comment") or "", "files": shown}
    if args.get("thread_ts"):
        message["thread_ts"] = args["thread_ts"]
    for upload in uploads:
        upload.shared_in = channel.id
    slack.workspace.add(channel, {**message, **chat.byline(slack), "upload": True})


def _uploaded(slack: Slack, row: Body) -> Upload:
    upload = slack.workspace.uploads.get(str(row.get("id")))
    if upload is None:
        raise Refused(Error.FILE_NOT_FOUND)
    if upload.content is None:
        raise Refused(Error.FILE_NOT_UPLOADED)
    return upload
