"""Pages of Loki put together: every line once, whatever pages share, in time that grows with the page."""

from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.loki.streams import Line, Stream, merge, ordered

LINES = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), max_size=8)
PAGES = st.lists(st.lists(st.tuples(st.sampled_from(["n-1", "n-2"]), LINES), max_size=3), max_size=5)
LONG = 60_000
PAGE = 500


def _plainly(pages: list[list[tuple[str, list[Line]]]]) -> tuple[dict[str, list[Line]], int]:
    """Return what pages hold by the plain rule: of each page, what was not there before it."""
    held: dict[str, list[Line]] = {}
    new = 0
    for page in pages:
        for name, lines in page:
            before = held.setdefault(name, [])
            fresh = [line for line in lines if line not in before]
            before.extend(fresh)
            new += len(fresh)
    return held, new


@given(PAGES)
def test_pages_put_together_hold_what_the_plain_rule_gives_in_its_order(
    pages: list[list[tuple[str, list[Line]]]],
) -> None:
    streams: dict[str, Stream] = {}
    new = sum(
        merge(streams, [Stream(labels={"node": name}, lines=lines) for name, lines in page]) for page in pages
    )
    held, expected = _plainly(pages)
    assert {stream.labels["node"]: stream.lines for stream in streams.values()} == held
    assert new == expected
    assert [stream.labels["node"] for stream in ordered(streams)] == sorted(n for n in held if held[n])


class _Counted(str):
    """A text that counts how often it is hashed: once for each time a page is looked through."""

    __slots__ = ()
    hashed = 0

    def __hash__(self) -> int:
        _Counted.hashed += 1
        return super().__hash__()


def test_a_long_stream_is_not_looked_through_again_for_each_page() -> None:
    lines: list[Line] = [(at, _Counted(at)) for at in range(LONG)]
    _Counted.hashed = 0
    streams: dict[str, Stream] = {}
    for start in range(0, LONG, PAGE):
        merge(streams, [Stream(labels={}, lines=lines[max(0, start - 1) : start + PAGE])])
    assert sum(len(stream.lines) for stream in streams.values()) == LONG
    assert _Counted.hashed < 3 * LONG
