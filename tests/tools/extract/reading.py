"""Short forms for tests of the extractor."""

from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.extract.lines import line_signals
from firstfault.tools.kinds import Kind
from firstfault.tools.signals import Signal
from tests.documents import document


def signals(text: str | bytes, kind: Kind = Kind.KERNEL_LOG, **labels: str) -> tuple[Signal, ...]:
    """Return what the lines of a document say."""
    return line_signals(document(text, kind, **labels), NO_CONTEXT)


def only(text: str, name: str, kind: Kind = Kind.KERNEL_LOG, **labels: str) -> Signal:
    """Return the one signal of that name that a text gives."""
    found = [signal for signal in signals(text, kind, **labels) if signal.name == name]
    assert len(found) == 1, [signal.name for signal in signals(text, kind, **labels)]
    return found[0]


def told(signal: Signal, *names: str) -> tuple[object, ...]:
    """Return some attributes."""
    return tuple(signal.attributes.get(name) for name in names)
