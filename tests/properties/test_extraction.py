"""Laws of extraction: what is said does not depend on how the text was cut, padded, ordered or found."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.catalogs.patterns import all_patterns
from firstfault.tools.context import NO_CONTEXT
from firstfault.tools.extract import extract
from firstfault.tools.extract.lines import Catalogue, line_signals
from firstfault.tools.kinds import Kind
from firstfault.tools.readings import Reading
from firstfault.tools.scan.engine import HyperscanMatcher, WordMatcher
from firstfault.tools.signals import Signal
from tests.documents import document

KIND = Kind.PLAIN
EXAMPLES = [
    pattern.example for pattern in all_patterns() if pattern.applies(KIND) and "\n" not in pattern.example
]
NOISE = [
    "iteration 812 loss 2.1137 lr 3e-4 tokens/s 81231",
    "I0701 10:11:12.000001 1 reflector.go:368] caches populated for one type",
    "",
    "-- end of part --",
]
ALONE = [
    pattern.example
    for pattern in all_patterns()
    if pattern.applies(KIND) and pattern.look_back is None and "\n" not in pattern.example
]
"""Lines that say all they say by themselves; others take a name from the lines above."""
examples = st.lists(st.sampled_from(EXAMPLES), min_size=1, max_size=6)
alone = st.lists(st.sampled_from(ALONE), min_size=1, max_size=6)
noise = st.lists(st.sampled_from(NOISE), max_size=6)
any_bytes = st.binary(max_size=300)
ENGINES = [Catalogue(all_patterns(), matcher=matcher) for matcher in (HyperscanMatcher, WordMatcher)]


def said(signals: tuple[Signal, ...]) -> Counter[tuple[str, str]]:
    """Return what was said about what, with how often."""
    counted: Counter[tuple[str, str]] = Counter()
    for signal in signals:
        counted[signal.name, signal.entity.key] += signal.count
    return counted


def lines(*parts: str) -> tuple[Signal, ...]:
    return line_signals(document("\n".join(parts), KIND), NO_CONTEXT)


@given(examples, noise)
def test_ordinary_lines_between_change_nothing(told: list[str], between: list[str]) -> None:
    mixed = [line for example in told for line in (*between, example, *between)]
    assert said(lines(*mixed)) == said(lines(*told))


@given(alone, alone)
def test_two_halves_say_what_the_whole_says(first: list[str], second: list[str]) -> None:
    whole = set(said(lines(*first, *second)))
    halves = set(said(lines(*first))) | set(said(lines(*second)))
    assert whole == halves


@given(examples)
def test_line_ends_of_other_systems_change_nothing(told: list[str]) -> None:
    unix = line_signals(document("\n".join(told), KIND), NO_CONTEXT)
    dos = line_signals(document("\r\n".join(told), KIND), NO_CONTEXT)
    assert said(unix) == said(dos)
    assert [signal.evidence.excerpt for signal in unix] == [signal.evidence.excerpt for signal in dos]


@given(st.lists(examples.map("\n".join), min_size=1, max_size=4, unique=True), st.permutations(range(4)))
def test_the_order_of_documents_changes_nothing(texts: list[str], order: list[int]) -> None:
    documents = [document(text, KIND, f"raw/{number}.log") for number, text in enumerate(texts)]
    other = [documents[index] for index in order if index < len(documents)]
    assert extract(documents, Reading(), NO_CONTEXT) == extract(other, Reading(), NO_CONTEXT)


@given(st.lists(st.one_of(any_bytes, st.sampled_from(EXAMPLES).map(str.encode)), max_size=6).map(b"\n".join))
def test_every_excerpt_stands_at_its_line_whatever_the_bytes(data: bytes) -> None:
    doc = document(data, KIND)
    for signal in line_signals(doc, NO_CONTEXT):
        for evidence in signal.all_evidence:
            assert evidence.excerpt in doc.lines[evidence.line_start - 1]


@given(st.lists(st.one_of(any_bytes, st.sampled_from(EXAMPLES).map(str.encode)), max_size=6).map(b"\n".join))
def test_both_engines_say_the_same(data: bytes) -> None:
    doc = document(data, KIND)
    one, two = (line_signals(doc, NO_CONTEXT, tables) for tables in ENGINES)
    assert one == two


@given(st.integers(min_value=1, max_value=176), st.integers(min_value=0, max_value=255), any_bytes)
def test_no_xid_line_is_lost_whatever_follows_its_code(code: int, bus: int, tail: bytes) -> None:
    text = f"NVRM: Xid (PCI:0000:{bus:02x}:00): {code}, ".encode() + tail.replace(b"\n", b" ").replace(
        b"\r", b" "
    )
    found = [
        signal
        for signal in line_signals(document(text, Kind.KERNEL_LOG), NO_CONTEXT)
        if signal.name == f"xid.{code}"
    ]
    assert [signal.entity.key for signal in found] == [f"gpu/0000:{bus:02x}:00"]


@pytest.mark.parametrize("host", ["node-1", "gpu-017.rack-3.example"])
def test_renamed_machines_change_names_only(host: str) -> None:
    text = "Jul  1 10:11:12 {} kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."
    one, two = (
        line_signals(document(text.format(name), Kind.SYSLOG), NO_CONTEXT) for name in ("gpu-7", host)
    )
    assert re.sub(r"gpu-7", host, str([signal.entity for signal in one])) == str(
        [signal.entity for signal in two]
    )
