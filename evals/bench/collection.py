"""Measures the collection of an incident's scope from a large cluster, beside a plain download of the same bytes.

`python -m firstfault.evals.bench.collection PHASE URL [FILE]` runs one phase and prints what it took. The cluster is served
by another process, so that processor time and memory are the client's own.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

from firstfault.evals.bench.measure import MB, Measured, in_process, print_measured, table
from firstfault.evals.sim.fleet_api import PER_SWITCH, Fleet, node_name
from firstfault.evals.sim.recorded_http import RecordedServer, Said
from firstfault.tools.kube.door import ReadDoor
from firstfault.tools.kube.plan import Scope
from firstfault.tools.kube.resources import NODES
from firstfault.tools.kube.settings import KubeSettings
from firstfault.tools.kube.slimming import slim
from firstfault.tools.kube.source import ClusterSource
from firstfault.tools.sources import Question
from firstfault.tools.times import Window

MODULE = "firstfault.evals.bench.collection"
NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
AIM_CPU_S, AIM_MB = 5.0, 400.0
SCOPES = {
    "node": Scope(nodes=(node_name(3),), namespaces=("train-000",)),
    "switch": Scope(
        nodes=tuple(node_name(each) for each in range(PER_SWITCH)),
        namespaces=tuple(f"train-{each:03d}" for each in range(4)),
    ),
    "spine": Scope(
        nodes=tuple(node_name(each) for each in range(16 * PER_SWITCH)),
        namespaces=tuple(f"train-{each:03d}" for each in range(10)),
    ),
    "hall": Scope(
        nodes=tuple(node_name(each) for each in range(1_250)),
        namespaces=tuple(f"train-{each:03d}" for each in range(10)),
    ),
}
"""One machine and its job; a leaf switch with 32 machines and four jobs; a spine with 512, and a hall of 1,250, with ten."""


def collect(url: str, scope: Scope) -> Callable[[], str]:
    """Read the scope as an incident does."""
    source = ClusterSource(door=_door(url), scope=scope, clock=lambda: NOW)

    def work() -> str:
        answer = source.read(Question(), Window(start=NOW - timedelta(hours=1), end=NOW), None)
        kept = sum(document.body.size for document in answer.documents)
        return f"{len(answer.documents)} documents, {kept / MB:.1f} MB kept, {len(answer.gaps)} gaps"

    return work


def fleet(url: str) -> Callable[[], str]:
    """List all machines, cut down page by page: what a topology snapshot costs."""
    door = _door(url)
    return lambda: f"{len(door.gather(NODES, keep=slim).items)} nodes"


def plain(addresses: Path) -> Callable[[], str]:
    """Get every address once and parse it as JSON: the least that any client does."""
    opener = build_opener(ProxyHandler({}))

    def work() -> str:
        listed: list[str] = json.loads(addresses.read_text())
        for address in listed:
            with opener.open(address) as answer:
                json.loads(answer.read())
        return f"{len(listed)} requests"

    return work


def _door(url: str) -> ReadDoor:
    return ReadDoor(KubeSettings(host=url))


def run(cluster: Fleet | None = None) -> Sequence[Measured]:
    """Return the measurements: each scope, and the plain download of what it asked for."""
    cluster = cluster or Fleet.of_size()
    sent = 0

    def answer(path: str, query: dict[str, str]) -> Said:
        nonlocal sent
        said = cluster.answer(path, query)
        sent += len(said.body)
        return said

    found: list[Measured] = []
    with tempfile.TemporaryDirectory(prefix="firstfault-bench-") as folder, RecordedServer(answer) as server:
        for phase in (*SCOPES, "fleet"):
            server.asked.clear()
            sent = 0
            ours = in_process(MODULE, phase, server.url)
            addresses = Path(folder, "addresses.json")
            addresses.write_text(
                json.dumps([f"{server.url}{path}?{urlencode(query)}" for path, query in _whole(server.asked)])
            )
            megabytes = sent / MB
            least = in_process(MODULE, "plain", server.url, str(addresses))
            found += [_over(ours, megabytes), _over(least, megabytes)]
    return found


def _whole(asked: Sequence[tuple[str, dict[str, str]]]) -> list[tuple[str, dict[str, str]]]:
    """Return the requests whose answers are JSON."""
    return [(path, query) for path, query in asked if not path.endswith("/log") and "/leases/" not in path]


def _over(measured: Measured, megabytes: float) -> Measured:
    return Measured(
        name=measured.name,
        megabytes=megabytes,
        cpu_s=measured.cpu_s,
        peak_mb=measured.peak_mb,
        note=measured.note,
    )


def report(found: Sequence[Measured]) -> str:
    """Return the table, and for each scope the ratio to the plain download."""
    lines = [table(found)]
    for ours, least in zip(found[::2], found[1::2], strict=True):
        ratio = ours.cpu_s / least.cpu_s if least.cpu_s else 0.0
        lines.append(f"{ours.name}: {ratio:.2f} times the processor time of the plain download")
    lines.append(f"aim: at most {AIM_CPU_S:g} s and {AIM_MB:g} MB")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Run the phase that `arguments` name against the server that they name."""
    phase, url = arguments[0], arguments[1]
    if phase == "plain":
        print_measured("  plain download and json.loads", 0.0, plain(Path(arguments[2])))
    elif phase == "fleet":
        print_measured("all machines, for a snapshot", 0.0, fleet(url))
    else:
        scope = SCOPES[phase]
        name = f"{phase}: {len(scope.nodes)} machines, {len(scope.namespaces)} namespaces"
        print_measured(name, 0.0, collect(url, scope))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
