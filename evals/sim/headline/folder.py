"""Writes the incident to a folder, as people collect such things: a file for each rank or pod, or one stream of all."""

import heapq
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from firstfault.evals.sim.headline import cluster, metrics
from firstfault.evals.sim.headline.faults import Story
from firstfault.evals.sim.headline.kernel_logs import kernel_lines
from firstfault.evals.sim.headline.rank_logs import Line, rank_lines

_SPOKEN = re.compile(r"^(?:\[rank\d+\]:|\S+:\d+:\d+ \[\d+\] NCCL|\[\d{4}-)")


class Logs(StrEnum):
    """How the logs of the ranks were kept."""

    RANKS = "ranks"
    """A file for each rank, as a launcher writes them."""
    PODS = "pods"
    """A file for each pod, the lines of its ranks as they came: what `kubectl logs` gives."""
    STREAM = "stream"
    """One file of all ranks, lines in order of time: what a log store gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was written."""

    files: int
    size: int


def write_folder(story: Story, folder: Path, logs: Logs = Logs.RANKS) -> Written:
    """Write the incident below `folder`, which must exist."""
    named = _FORMS[logs](story)
    files = size = 0
    for parts in (named, _kernels(story), _cluster(story), _metrics(story)):
        for name, text in parts:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            size += target.write_text(text, encoding="utf-8")
            files += 1
    return Written(files=files, size=size)


def _ranks(story: Story) -> Iterator[tuple[str, str]]:
    for rank in range(story.site.ranks):
        yield f"ranks/rank_{rank:05d}.log", _text(rank_lines(story, rank))


def _pods(story: Story) -> Iterator[tuple[str, str]]:
    """Yield the log of each pod; its ranks share the clock of their machine."""
    for machine in story.site.all:
        told = heapq.merge(*(_told(story, rank) for rank in machine.ranks), key=lambda each: each.at)
        yield f"pods/{machine.pod}.log", _text(told)


def _stream(story: Story) -> Iterator[tuple[str, str]]:
    """Yield one log of all ranks, as a collector stores it: by the time at which each line came in, each with its rank."""
    told = heapq.merge(*(_told(story, rank) for rank in range(story.site.ranks)), key=lambda each: each.at)
    yield "job/trainer.log", _text(told)


_FORMS = {Logs.RANKS: _ranks, Logs.PODS: _pods, Logs.STREAM: _stream}


def _told(story: Story, rank: int) -> list[Line]:
    """Return the lines of a rank with its name on each, by true time: the collector has a clock of its own."""
    machine = story.site.machine_of(rank)
    return [
        Line(
            machine.true(each.at),
            each.text if _SPOKEN.match(each.text) else f"[rank{rank}]: {each.text}",
        )
        for each in rank_lines(story, rank)
    ]


def _kernels(story: Story) -> Iterator[tuple[str, str]]:
    for machine in story.site.all:
        yield f"kernel/kernel_{machine.name}.log", _text(kernel_lines(story, machine))


def _text(lines: Iterable[Line]) -> str:
    return "".join(f"{line.text}\n" for line in lines)


def _cluster(story: Story) -> Iterator[tuple[str, str]]:
    yield "kubernetes/nodes.json", _listed(cluster.nodes(story.site))
    yield "kubernetes/pods.json", _listed(cluster.pods(story))
    yield "kubernetes/events.json", _listed(cluster.events(story))
    yield "topology.csv", cluster.topology(story.site)


def _listed(items: list[dict[str, object]]) -> str:
    """Return what `kubectl get -o json` prints."""
    return json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4) + "\n"


def _metrics(story: Story) -> Iterator[tuple[str, str]]:
    for metric in metrics.QUERIES:
        yield f"prometheus/{metric}.json", metrics.answer(story, metric)
