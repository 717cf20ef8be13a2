"""Finds the few lines of a document that hold a mark, in flat memory however large it is."""

from collections.abc import Iterator, Sequence

from firstfault.tools.evidence import Body, decode

_BLOCK = 1 << 20
_LONGEST_LINE = 4 << 20
"""A longer line is looked at in pieces of this size. Units: bytes."""
_WIDE = (b"\xff\xfe", b"\xfe\xff")


def marked_lines(body: Body, marks: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield number (1-based) and text of every line that holds one of `marks`, in order.

    Plain words are searched one by one: that is many times faster than one pattern of alternatives.
    """
    words = [mark.encode() for mark in marks]
    number, rest = 1, b""
    with body.open() as stream:
        if stream.read(2) in _WIDE:
            yield from _marked_text(body, marks)
            return
        stream.seek(0)
        while block := stream.read(_BLOCK):
            data = rest + block
            cut = data.rfind(b"\n") + 1
            if not cut and len(data) < _LONGEST_LINE:
                rest = data
                continue
            whole, rest = (data[:cut], data[cut:]) if cut else (data, b"")
            yield from _in(whole, words, number)
            number += whole.count(b"\n")
    yield from _in(rest, words, number)


def _in(data: bytes, words: Sequence[bytes], number: int) -> Iterator[tuple[int, str]]:
    counted = 0
    for start, end in sorted(_places(data, words).items()):
        number += data.count(b"\n", counted, start)
        counted = start
        yield number, decode(data[start:end])


def _places(data: bytes, words: Sequence[bytes]) -> dict[int, int]:
    """Return start → end of the lines that hold one of `words`."""
    places: dict[int, int] = {}
    for word in words:
        at = data.find(word)
        while at >= 0:
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            places[data.rfind(b"\n", 0, at) + 1] = end
            at = data.find(word, end)
    return places


def _marked_text(body: Body, marks: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield from a text in UTF-16: it is decoded whole, for it is written by desktop tools and small."""
    with body.open() as stream:
        lines = decode(stream.read(_LONGEST_LINE)).split("\n")
    for number, line in enumerate(lines, start=1):
        if any(mark in line for mark in marks):
            yield number, line
