"""Everything that documents say, as signals: lines, objects, facts and series, in an order that inputs do not decide."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from firstfault.tools.context import ReadContext
from firstfault.tools.evidence import Document
from firstfault.tools.extract.changes import change_signals
from firstfault.tools.extract.complaints import complaints
from firstfault.tools.extract.facts import fact_signals
from firstfault.tools.extract.kube import Places, gather, kube_signals
from firstfault.tools.extract.kube.health import errors_go_on
from firstfault.tools.extract.lines import catalogue, line_signals
from firstfault.tools.extract.metrics import metric_signals, untimed
from firstfault.tools.extract.packages import package_signals
from firstfault.tools.extract.quiet import quiet_signals
from firstfault.tools.extract.quotations import without_quotations
from firstfault.tools.extract.training import trained
from firstfault.tools.extract.words import word_signals
from firstfault.tools.parallel import in_order, workers_for
from firstfault.tools.readings import Reading
from firstfault.tools.scan.engine import LARGE_TEXT
from firstfault.tools.signals import Signal


def extract(
    documents: Sequence[Document], readings: Reading | Iterable[Reading], context: ReadContext
) -> tuple[Signal, ...]:
    """Return every signal that `documents` and what was read from them give.

    The order is that of path, line, name and entity: the order of `documents` changes nothing. A document that was
    handed in twice, under whatever name, counts once. Never raises for what the documents hold.
    """
    held = (readings,) if isinstance(readings, Reading) else tuple(readings)
    distinct = tuple(_distinct(documents))
    places = Places(gather(held))
    found = [*without_quotations(places.adopt(trained(_lines(distinct, context))))]
    found.extend(kube_signals(distinct, held, context))
    found.extend(fact_signals(fact for reading in held for fact in reading.facts))
    timeless = [one for reading in held for one in untimed(reading.facts)]
    found.extend(metric_signals([*(one for reading in held for one in reading.series), *timeless]))
    found.extend(package_signals(fact for reading in held for fact in reading.facts))
    found.extend(change_signals(change for reading in held for change in reading.changes))
    found.extend(errors_go_on(sorted(found, key=_rank)))
    found.extend(quiet_signals(distinct, held, found))
    found.extend(complaints(distinct, found, context))
    found.extend(word_signals(distinct))
    return tuple(_once(sorted(found, key=_rank)))


def _lines(documents: Sequence[Document], context: ReadContext) -> Iterator[Signal]:
    """Yield what lines say, document by document; several documents are scanned at once where there is much to scan."""
    size = sum(document.body.size for document in documents)
    catalogue().expect(size)
    workers = workers_for(size, len(documents)) if size >= LARGE_TEXT else 1
    for signals in in_order(partial(line_signals, context=context), documents, workers=workers):
        yield from signals


def _distinct(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield the documents by path, without second copies of the same bytes about the same thing."""
    seen: set[tuple[object, ...]] = set()
    for document in sorted(documents, key=lambda each: (each.path, each.kind, each.body.sha256)):
        identity = (
            document.body.sha256,
            document.kind,
            document.entity,
            tuple(sorted(document.labels.items())),
        )
        if identity not in seen:
            seen.add(identity)
            yield document


def _once(signals: Iterable[Signal]) -> Iterator[Signal]:
    """Yield the signals without those that say again what one of them says of the same line."""
    seen: set[tuple[object, ...]] = set()
    for signal in signals:
        evidence = signal.evidence
        identity = (
            signal.name,
            signal.entity.key,
            evidence.path,
            evidence.line_start,
            evidence.excerpt,
            signal.attributes.get("link"),
        )
        if identity not in seen:
            seen.add(identity)
            yield signal


def _rank(signal: Signal) -> tuple[str, int, int, str, str, str]:
    evidence = signal.evidence
    values = repr(sorted(signal.attributes.items(), key=lambda item: item[0]))
    return evidence.path, evidence.line_start, evidence.line_end, signal.name, signal.entity.key, values
