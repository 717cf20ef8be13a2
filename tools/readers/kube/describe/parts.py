"""Pieces that the descriptions of many kinds share."""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

from firstfault.tools.readers.kube.describe.outline import ABSENT, Entry
from firstfault.tools.readers.kube.draft import Draft
from firstfault.tools.readers.kube.kinds import kind_of_word

_RFC1123 = re.compile(r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{1,2} \w{3} \d{4} [\d:]{8} (?:[+-]\d{4}|\w{3,4})")
_PAIR = re.compile(r"^(?P<key>[^\s=]+?)(?:=|:\s+|:$)(?P<value>.*)$")
_LEADING_INT = re.compile(r"-?\d+")
_MAX_DIGITS = 18


def time_text(text: str) -> str:
    """Return a described time as the API writes it; an age or anything else stays as it is."""
    if not _RFC1123.match(text):
        return text
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return text
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at.tzinfo is not None else text


def whole(text: str) -> int | str:
    """Return the number at the start of `text`, or `text`."""
    match = _LEADING_INT.match(text.strip())
    return int(match[0]) if match and len(match[0]) < _MAX_DIGITS else text


def truth(text: str) -> bool | str:
    """Return True or False for what `kubectl` prints as such, or `text`."""
    return {"true": True, "false": False}.get(text.strip().lower(), text)


def put_metadata(root: Entry, draft: Draft) -> None:
    """Fill `metadata`: name, namespace, labels, annotations, owner, times."""
    for key, name in (("Name", "name"), ("Namespace", "namespace"), ("UID", "uid")):
        entry = root.find(key)
        if entry is not None and entry.value not in ABSENT:
            draft.put("metadata", name, value=entry.value, line=entry.line)
    for key, name in (("Labels", "labels"), ("Annotations", "annotations")):
        entry = root.find(key)
        if entry is not None:
            put_pairs(draft, entry, "metadata", name)
    finalizers = root.find("Finalizers")
    if finalizers is not None and finalizers.value.startswith("["):
        for word in finalizers.value.strip("[]").split():
            draft.append_value("metadata", "finalizers", value=word, line=finalizers.line)
    _put_lifetime(root, draft)
    owner = root.find("Controlled By")
    if owner is not None:
        put_owner(draft, owner)


def _put_lifetime(root: Entry, draft: Draft) -> None:
    created = root.find("CreationTimestamp", "Created", "Creation Timestamp", "Created At")
    if created is not None:
        draft.put("metadata", "creationTimestamp", value=time_text(created.value), line=created.line)
    deleted = root.find("DeletionTimestamp", "Deletion Timestamp")
    if deleted is not None:
        draft.put("metadata", "deletionTimestamp", value=time_text(deleted.value), line=deleted.line)
    status = root.find("Status")
    if status is not None and status.value.startswith("Terminating"):
        draft.put("metadata", "deletionTimestamp", value=_lasts(status.value), line=status.line)


def _lasts(text: str) -> str:
    """Return the time in `Terminating (lasts 5m)` or `Terminating since Thu, …`; else the text."""
    inner = re.search(r"(?:since|lasts)\s+([^)]+)", text)
    return time_text(inner[1].strip()) if inner else text


def put_owner(draft: Draft, owner: Entry) -> None:
    """Fill the controlling owner from `ReplicaSet/name`."""
    kind, slash, name = owner.value.partition("/")
    if slash:
        reference = draft.append("metadata", "ownerReferences", line=owner.line)
        reference.put("kind", value=kind_of_word(kind) or kind, line=owner.line)
        reference.put("name", value=name, line=owner.line)
        reference.put("controller", value=True, line=owner.line)


def put_pairs(draft: Draft, entry: Entry, *path: str) -> None:
    """Fill a mapping from `key=value` or `key: value` lines."""
    draft.touch(*path, line=entry.line)
    for line, text in entry.values():
        for piece in (
            text.split(",")
            if "=" in text and ", " not in text and path[-1] in {"matchLabels", "selector"}
            else (text,)
        ):
            match = _PAIR.match(piece.strip())
            if match is not None:
                draft.put(*path, match["key"], value=match["value"].strip() or None, line=line)
                if not match["value"].strip():
                    draft.touch(*path, match["key"], line=line)


def put_quantities(draft: Draft, entry: Entry | None, *path: str) -> None:
    """Fill a mapping of resource → quantity from the lines below `entry` (`Limits:`, `Capacity:`)."""
    if entry is None:
        return
    draft.touch(*path, line=entry.line)
    for below in entry.below:
        if below.key and below.value:
            draft.put(*path, below.key, value=below.value, line=below.line)


def put_selector(draft: Draft, entry: Entry | None, *path: str) -> None:
    """Fill a label selector (`matchLabels`) or a plain selector from `a=b,c=d`."""
    if entry is not None:
        put_pairs(draft, entry, *path)
