"""Names in parts that fit."""

from hypothesis import given
from hypothesis import strategies as st

from firstfault.tools.lengths import in_parts


@given(st.lists(st.text(max_size=9)), st.integers(min_value=1, max_value=20))
def test_nothing_is_lost_and_no_part_is_too_long_but_a_name_that_is(names: list[str], room: int) -> None:
    parts = list(in_parts(names, room, len))
    assert [name for part in parts for name in part] == names
    assert all(parts)
    assert all(len(part) == 1 or sum(map(len, part)) <= room for part in parts)
