"""The bundle as an archive: the text, the report, and every document that the report cites, redacted whole. Pure.

The same incident gives the same bytes: names are sorted, times in the archive are fixed.
"""

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from firstfault.agent.capture.case import CaseHeader, case_files
from firstfault.agent.render.html import render
from firstfault.agent.report.contract import Report
from firstfault.agent.ticket.text import DUMP, Attached, Ticket, ticket_text
from firstfault.tools.evidence import Document
from firstfault.tools.sources import Answer

TEXT, EVIDENCE = "ticket.txt", "evidence"
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip archive can hold."""


def bundle(ticket: Ticket, documents: Sequence[Document], redact: Callable[[str], str]) -> tuple[str, bytes]:
    """Return the text of the ticket and the archive that holds it with its attachments."""
    files = {
        path: text.encode("utf-8", "backslashreplace")
        for path, text in _files(ticket.report, documents, redact)
    }
    attached = tuple(
        Attached(path=path, size=len(body), sha256=hashlib.sha256(body).hexdigest())
        for path, body in sorted(files.items())
    )
    text = redact(ticket_text(replace(ticket, attached=attached)))
    return text, _zipped({TEXT: text.encode("utf-8", "backslashreplace"), **files})


def cited(report: Report, documents: Sequence[Document]) -> tuple[Document, ...]:
    """Return the documents that the report cites, and every dump that the vendor's own tool made."""
    paths = {part.path for part in report.evidence}
    return tuple(each for each in documents if each.path in paths or DUMP in each.path)


def _files(
    report: Report, documents: Sequence[Document], redact: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    yield "report.json", redact(report.model_dump_json(by_alias=True, indent=2))
    yield "report.html", redact(render(report))
    header = CaseHeader(
        id=report.incident.id,
        question=report.incident.question,
        opened_at=report.incident.opened_at,
        environment={},
    )
    for path, text in case_files(header, [Answer(documents=cited(report, documents))], redact):
        yield f"{EVIDENCE}/{path}", text


def _zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            archive.writestr(zipfile.ZipInfo(path, _EPOCH), files[path], zipfile.ZIP_DEFLATED)
    return stream.getvalue()
