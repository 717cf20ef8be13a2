import pytest

from firstfault.tools.extract.kube.scheduler_messages import parse_refusals


@pytest.mark.parametrize(
    ("message", "total", "found"),
    [
        (
            "0/7 nodes are available: 3 Insufficient nvidia.com/gpu, 4 node(s) didn't match Pod's node affinity/selector.",
            7,
            {("resource", 3), ("selector", 4)},
        ),
        (
            "0/3 nodes are available: 1 node(s) had untolerated taint {team: a}, 2 node(s) were unschedulable.",
            3,
            {("taint", 1), ("cordon", 2)},
        ),
        (
            "0/2 nodes are available: 2 node(s) had volume node affinity conflict.",
            2,
            {("volume_zone", 2)},
        ),
    ],
)
def test_every_predicate_is_counted(message: str, total: int, found: set[tuple[str, int]]) -> None:
    taken = parse_refusals(message)
    assert taken is not None
    assert taken.total == total
    assert {(each.predicate, each.nodes) for each in taken.refusals} == found


def test_another_message_is_none() -> None:
    assert parse_refusals("Successfully assigned shop/web-0 to n-1") is None
