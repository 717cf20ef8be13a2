"""The worked example of docs/new-source.md: the log of switches, from a server that gives it as text."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import httpx

from firstfault.tools.bodies import MemoryBody
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Coverage, CoverageState, Document, Gap
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Answer, Question, narrowed
from firstfault.tools.times import Window


@dataclass(frozen=True, kw_only=True)
class SwitchSource:
    """Reads the log of each switch in scope. clock: aware UTC."""

    client: httpx.Client
    switches: tuple[str, ...]
    clock: Callable[[], datetime]
    name: str = "switches"

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return one document per switch, nothing later than `as_of`."""
        del window  # the server keeps a day and gives all of it
        answers = [self._one(switch, as_of) for switch in self.switches]
        whole = Answer(
            documents=tuple(document for answer in answers for document in answer.documents),
            coverage=tuple(entry for answer in answers for entry in answer.coverage),
            gaps=tuple(gap for answer in answers for gap in answer.gaps),
        )
        return narrowed(whole, question)

    def _one(self, switch: str, as_of: datetime | None) -> Answer:
        try:
            answer = self.client.get("/log", params={"switch": switch})
            answer.raise_for_status()
        except httpx.HTTPError as error:
            return self._missed(switch, " ".join(str(error).split()) or type(error).__name__)
        lines = [line for line in answer.text.split("\n") if line and _is_seen(line, as_of)]
        document = Document(
            path=f"switches/{switch}.log",
            kind=Kind.SYSLOG,
            body=MemoryBody("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")),
            source=self.name,
            query=f"GET /log?switch={switch}",
            entity=EntityRef(kind=EntityKind.SWITCH, name=switch),
            labels={"switch": switch},
            fetched_at=self.clock(),
        )
        note = "the server keeps one day"
        coverage = Coverage(
            source=self.name,
            kind=Kind.SYSLOG,
            state=CoverageState.PARTIAL,
            path=document.path,
            lines_read=len(lines),
            note=note,
        )
        return Answer(documents=(document,), coverage=(coverage,))

    def _missed(self, switch: str, why: str) -> Answer:
        gap = Gap(
            source=self.name,
            why=why,
            would_tell=f"what switch {switch} said of its ports",
            kind=Kind.SYSLOG,
            entity=EntityRef(kind=EntityKind.SWITCH, name=switch),
        )
        coverage = Coverage(source=self.name, kind=Kind.SYSLOG, state=CoverageState.UNAVAILABLE)
        return Answer(coverage=(coverage,), gaps=(gap,))


def _is_seen(line: str, as_of: datetime | None) -> bool:
    """Return whether a line was there at `as_of`: each begins with its time."""
    return as_of is None or datetime.fromisoformat(line.partition(" ")[0]) <= as_of
