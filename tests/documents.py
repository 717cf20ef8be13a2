"""Documents for tests: text in memory, with whatever a recording would know of it."""

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Document
from firstfault.tools.kinds import Kind
from firstfault.tools.recording.subjects import subject


def document(text: str | bytes, kind: Kind = Kind.PLAIN, path: str = "raw/1.txt", **labels: str) -> Document:
    """Return a document that holds `text`."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return Document(
        path=path,
        kind=kind,
        body=MemoryBody(data),
        source="test",
        query=f"file {path}",
        entity=subject(labels),
        labels=labels,
    )
