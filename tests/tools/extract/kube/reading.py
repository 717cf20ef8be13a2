"""What tests of one detector ask: the signals that some objects, read as a cluster, give."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.extract.kube import gather, kube_signals
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.signals import Signal
from tests.documents import document

NOW = ReadContext(opened_at=datetime(2026, 3, 1, 12, 0, tzinfo=UTC), zone="UTC", as_of=None)


def objects(*items: str, path: str = "raw/objects.yaml") -> Document:
    """Return a complete list of objects, each written in YAML."""
    return replace(document("---\n".join(items), Kind.KUBE_OBJECTS, path), complete=True)


def seen(*documents: Document) -> Sequence[Signal]:
    """Return every signal that the documents give as a cluster."""
    held = [read(each, NOW) for each in documents]
    assert gather(held, NOW) is not None
    return kube_signals(documents, held, NOW)


def named(name: str, *items: str) -> list[Signal]:
    """Return the signals of that name which the objects give."""
    return [signal for signal in seen(objects(*items)) if signal.name == name]


def names(*items: str) -> set[str]:
    """Return the names of the signals which the objects give."""
    return {signal.name for signal in seen(objects(*items))}
