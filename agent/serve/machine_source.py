"""Snapshots of machines as a source: what they were, and what changed since, also when they are gone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from firstfault.agent.store import StoreError
from firstfault.agent.store.machines import Machines
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.kube.slimming import line_per_field
from firstfault.tools.sources import Answer, Question, narrowed, nodes_asked
from firstfault.tools.times import Window
from firstfault.tools.topology.machines import Sighting, differences, node_of

NAME = "snapshots"
LOOK_BACK = timedelta(days=2)
"""How far before the window changes are told. Ours."""


def unseen(why: str) -> Gap:
    """Return that what machines were before is not known."""
    would_tell = "which driver, firmware, image and switch a machine had before"
    return Gap(source=NAME, why=why, would_tell=would_tell, kind=Kind.TOPOLOGY)


@dataclass(frozen=True, kw_only=True)
class MachineSource:
    """What the snapshots say of the machines in scope. now: aware UTC."""

    machines: Machines
    cluster: str
    nodes: tuple[str, ...]
    now: datetime

    @property
    def name(self) -> str:
        """Return the name shown in reports and audit."""
        return NAME

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return how each machine last looked and what changed on it, nothing later than `as_of`."""
        nodes = nodes_asked(question, self.nodes)
        if not nodes:
            if question.entities:
                return Answer()
            why = "no machine is named, so that no snapshot was looked for: name it in the question"
            return narrowed(self._missed(why, CoverageState.NOT_COLLECTED), question)
        until = min(moment for moment in (window.end, as_of, self.now) if moment is not None)
        since = min(window.start or until, until) - LOOK_BACK
        try:
            found = self.machines.history(self.cluster, nodes, since, until)
        except StoreError as error:
            return narrowed(self._missed(str(error), CoverageState.UNAVAILABLE), question)
        if not found:
            why = f"no snapshot of {', '.join(nodes[:3])}: `firstfault serve` takes them while it runs"
            return narrowed(self._missed(why, CoverageState.NOT_COLLECTED), question)
        documents = (self._looks(found), self._changes(found), self._conditions(found))
        coverage = tuple(
            Coverage(
                source=self.name,
                kind=each.kind,
                state=CoverageState.PARTIAL,
                path=each.path,
                lines_read=each.body.size,
                note="what happened between two snapshots and was undone is not seen",
            )
            for each in documents
        )
        return narrowed(Answer(documents=documents, coverage=coverage), question)

    def _missed(self, why: str, state: CoverageState) -> Answer:
        return Answer(
            coverage=(Coverage(source=self.name, kind=Kind.TOPOLOGY, state=state),), gaps=(unseen(why),)
        )

    def _looks(self, found: Sequence[Sighting]) -> Document:
        """How each machine last looked, as the API would say it, but for what may have passed since: conditions, cordons."""
        newest = {each.machine.name: each for each in found}
        nodes = [node_of(each.machine) for each in newest.values()]
        for node in nodes:
            node.pop("spec", None)
            status = node.get("status")
            if isinstance(status, dict):
                status.pop("conditions", None)
        rows = b",\n".join(line_per_field(node) for node in nodes)
        body = b'{"apiVersion": "v1", "kind": "List", "items": [\n' + rows + b"\n]}\n"
        return self._document("machines.json", Kind.TOPOLOGY, body)

    def _changes(self, found: Sequence[Sighting]) -> Document:
        lines = [
            f"{after.first_seen:%Y-%m-%d} before {after.first_seen:%H:%M} UTC topology snapshot: "
            f"{_named(name)} of node {after.machine.name} changed from {old or 'nothing'} to {new or 'nothing'} "
            f"(last seen as it was at {before.last_seen:%Y-%m-%dT%H:%M:%SZ})"
            for before, after in pairwise(found)
            if before.machine.name == after.machine.name
            for name, old, new in differences(before.machine, after.machine)
        ]
        return self._document("changes.log", Kind.CHANGE_LOG, _text(lines))

    def _conditions(self, found: Sequence[Sighting]) -> Document:
        newest = {each.machine.name: each for each in found}
        return self._document("conditions.log", Kind.PLAIN, _text(_condition_lines(newest.values())))

    def _document(self, name: str, kind: Kind, body: bytes) -> Document:
        return Document(
            path=f"snapshots/{name}",
            kind=kind,
            body=MemoryBody(body),
            source=self.name,
            query=f"snapshots of {', '.join(self.nodes[:5])}",
            fetched_at=self.now,
        )


def _condition_lines(newest: Iterable[Sighting]) -> list[str]:
    found: list[str] = []
    for each in newest:
        status = node_of(each.machine).get("status")
        rows = status.get("conditions") if isinstance(status, dict) else None
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict):
                told = f"{row.get('type')}={row.get('status')} reason={row.get('reason')}"
                since = f"since {row.get('lastTransitionTime')}"
                found.append(f"{each.last_seen:%Y-%m-%dT%H:%M:%SZ} node {each.machine.name} {told} {since}")
    return found


def _named(fact: str) -> str:
    """Return a fact in the words by which changes are sorted: `kernel`, `driver`, `image`."""
    words = {"kernelVersion": "kernel (kernelVersion)", "osImage": "node image (osImage)"}
    return words.get(fact, fact)


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
