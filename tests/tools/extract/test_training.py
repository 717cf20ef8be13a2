"""Links that train after a boot are no fault; links that go down later, or stay down, are."""

from firstfault.tools.extract.training import BOOTING_S, TRAINED, trained
from tests.signals import signal


def names(*events: tuple[str, float]) -> list[str]:
    given = [signal(name, line=line, uptime_s=at) for line, (name, at) in enumerate(events, start=1)]
    return [each.name for each in trained(given)]


def test_a_link_that_comes_up_while_the_machine_boots_was_only_trained() -> None:
    found = names(("mlx5.cable_unplugged", 14.0), ("mlx5.link_down", 16.0), ("mlx5.link_up", 22.0))
    assert found == [TRAINED, TRAINED, "mlx5.link_up"]


def test_a_link_that_never_comes_up_is_down() -> None:
    assert names(("mlx5.link_up", 12.0), ("mlx5.link_down", 16.0)) == ["mlx5.link_up", "mlx5.link_down"]


def test_a_link_that_goes_down_after_the_boot_is_down_though_it_comes_back() -> None:
    late = BOOTING_S + 1
    assert names(("mlx5.link_down", late), ("mlx5.link_up", late + 5)) == ["mlx5.link_down", "mlx5.link_up"]


def test_without_an_uptime_nothing_is_known_of_the_boot() -> None:
    given = [signal("mlx5.link_down", at_s=1), signal("mlx5.link_up", line=2, at_s=2)]
    assert [each.name for each in trained(given)] == ["mlx5.link_down", "mlx5.link_up"]
