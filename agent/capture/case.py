"""A case folder from answers: every document redacted whole, the manifest that says what each is, and what was not had."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import yaml

from firstfault.tools.evidence import Document
from firstfault.tools.recording.manifest import MANIFEST_NAME
from firstfault.tools.recording.subjects import SUBJECT_KEYS
from firstfault.tools.sources import Answer

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseHeader:
    """What the manifest says of the whole. opened_at: aware UTC, None when it is not known."""

    id: str
    question: str
    opened_at: datetime | None
    environment: Mapping[str, str]


def case_files(
    header: CaseHeader, answers: Sequence[Answer], redact: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    """Yield path and text of each file of the folder, the manifest last; nothing leaves unredacted."""
    rows: list[dict[str, object]] = []
    taken: set[str] = set()
    for answer in answers:
        for document in answer.documents:
            path = _free(_path(redact(document.path)), taken)
            rows.append(_row(path, document, redact))
            yield path, redact(document.text)
    gaps = dict.fromkeys(redact(f"{gap.source}: {gap.why}") for answer in answers for gap in answer.gaps)
    manifest = {
        "id": redact(header.id),
        "question": redact(header.question),
        **({"opened_at": header.opened_at.isoformat()} if header.opened_at else {}),
        "timezone": "UTC",
        "environment": {name: redact(value) for name, value in header.environment.items()},
        "sources": rows,
        "not_collected": list(gaps),
    }
    text = yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True, width=1000)  # pyright: ignore[reportUnknownMemberType]  # the stubs are partial
    yield MANIFEST_NAME, text


def _row(path: str, document: Document, redact: Callable[[str], str]) -> dict[str, object]:
    about = {name: redact(value) for name, value in document.labels.items() if name in SUBJECT_KEYS}
    return {
        "path": path,
        "kind": document.kind.value,
        "complete": document.complete,
        **about,
        "note": redact(f"{document.source}: {document.query}"),
    }


def _path(path: str) -> str:
    """Return a path inside the folder, whatever the names of pods and streams are."""
    parts = [_UNSAFE.sub("_", part)[:_LONGEST] for part in path.removeprefix("raw/").split("/")]
    return "/".join(["raw", *(part for part in parts if part.strip("."))])


def _free(path: str, taken: set[str]) -> str:
    number, free = 1, path
    while free.lower() in taken:
        number += 1
        free = f"{path}.{number}"
    taken.add(free.lower())
    return free
