"""Streams of Loki: lines under one set of labels, put together from pages that overlap at their edge. Pure."""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import cast

Line = tuple[int, str]
"""When a line was written, in nanoseconds since 1970, and its text."""


@dataclass(slots=True)
class Stream:
    """Lines under one set of labels, in the order in which they came."""

    labels: dict[str, str]
    lines: list[Line] = field(default_factory=list[Line])
    _known: set[Line] = field(default_factory=set[Line], init=False)

    def add(self, lines: Sequence[Line]) -> int:
        """Take in the lines of one more page; return how many no earlier page had. Repeats within a page are kept."""
        fresh = [line for line in lines if line not in self._known]
        self.lines += fresh
        self._known.update(fresh)
        return len(fresh)


def streams_of(body: object) -> list[Stream]:
    """Return the streams of an answer. Raises ValueError, KeyError, TypeError or AttributeError when it is none."""
    result = cast("dict[str, dict[str, list[dict[str, object]]]]", body)["data"]["result"]
    return [
        Stream(
            labels={
                str(name): str(value) for name, value in cast("dict[str, object]", each["stream"]).items()
            },
            lines=[(int(at), line) for at, line, *_ in cast("list[list[str]]", each["values"])],
        )
        for each in result
    ]


def merge(streams: MutableMapping[str, Stream], page: Sequence[Stream]) -> int:
    """Add a page to what is there; return how many lines were new. The time grows with the page, not with the stream."""
    return sum(
        streams.setdefault(repr(sorted(each.labels.items())), Stream(labels=each.labels)).add(each.lines)
        for each in page
    )


def ordered(streams: Mapping[str, Stream]) -> Iterator[Stream]:
    """Yield the streams that hold lines, in an order that the answers do not decide."""
    return (streams[key] for key in sorted(streams) if streams[key].lines)
