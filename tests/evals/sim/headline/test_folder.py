"""The made-up incident is the same for the same seed, and as large as it is asked to be."""

from pathlib import Path

import pytest

from firstfault.evals.sim.headline.faults import Root, Story, answer_of
from firstfault.evals.sim.headline.folder import Logs, write_folder
from firstfault.evals.sim.headline.rank_logs import rank_lines
from firstfault.evals.sim.headline.site import Site


def story(seed: int, machines: int = 4) -> Story:
    return Story.of(Site(seed=seed, machines=machines))


def contents(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }


@pytest.mark.parametrize("logs", Logs)
def test_a_seed_gives_the_same_files_each_time(tmp_path: Path, logs: Logs) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        written = write_folder(story(0), tmp_path / name, logs)
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert one == two
    assert written.files == len(one)
    assert written.size == sum(map(len, one.values()))


def test_the_stream_holds_what_every_rank_said_in_order_of_time(tmp_path: Path) -> None:
    told = story(0)
    write_folder(told, tmp_path, Logs.STREAM)
    lines = (tmp_path / "job" / "trainer.log").read_text().splitlines()
    assert len(lines) == sum(len(rank_lines(told, rank)) for rank in range(told.site.ranks))
    assert "Watchdog" in lines[-1] or "Fatal" in lines[-1] or "what()" in lines[-1]
    assert sum("NCCL INFO ncclCommInit" in line for line in lines) == told.site.ranks


def test_a_pod_holds_what_its_ranks_said(tmp_path: Path) -> None:
    told = story(0)
    write_folder(told, tmp_path, Logs.PODS)
    for machine in told.site.all:
        lines = (tmp_path / "pods" / f"{machine.pod}.log").read_text().splitlines()
        assert len(lines) == sum(len(rank_lines(told, rank)) for rank in machine.ranks)


def test_each_root_has_a_seed_and_an_answer() -> None:
    roots = [story(seed).root for seed in range(len(Root))]
    assert roots == list(Root)
    assert all(answer_of(story(seed)).verdicts for seed in range(len(Root)))


def test_only_the_rank_at_fault_is_silent_by_itself() -> None:
    told = story(0, machines=64)
    silent = [rank for rank in range(told.site.ranks) if told.is_silent(rank)]
    assert silent == [told.rank]
    assert "Watchdog" not in rank_lines(told, silent[0])[-1].text


def test_the_switch_takes_all_its_machines_and_no_others() -> None:
    told = story(list(Root).index(Root.SWITCH), machines=96)
    assert len(told.machines) == 32
    assert {told.site.all[number].leaf for number in told.machines} == {told.leaf}
