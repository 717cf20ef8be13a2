"""What is on the table of one deliberation: evidence under short names, entities under the names they are shown by.

Short names (`E1`) save tokens and cannot be guessed into existence: what is not on the desk does not exist for a model.
"""

from dataclasses import dataclass, field

from firstfault.agent.deliberation.quoting import harmless
from firstfault.agent.deliberation.view import DeliberationView
from firstfault.tools.entities import EntityKind, EntityRef
from firstfault.tools.evidence import Document, Evidence
from firstfault.tools.redaction.excerpts import Excerpts, excerpts_of


@dataclass(kw_only=True)
class Desk:
    """Names given out so far. Rows are shown redacted and harmless; what is stored stays as it was."""

    view: DeliberationView
    by_name: dict[str, Evidence] = field(default_factory=dict[str, Evidence])
    names: dict[str, str] = field(default_factory=dict[str, str])
    entities: dict[str, EntityRef] = field(default_factory=dict[str, EntityRef])
    excerpts: Excerpts = field(init=False)

    def __post_init__(self) -> None:
        """Give every entity of the incident the name it is shown by."""
        self.excerpts = excerpts_of(self.view.documents, self.view.redact)
        for entity in self.view.entities:
            if entity.kind is not EntityKind.UNKNOWN:
                self.entities.setdefault(self.shown_entity(entity), entity)

    def name_of(self, evidence: Evidence) -> str:
        """Return the short name of `evidence`, a new one when it has none."""
        if evidence.id not in self.names:
            name = f"E{len(self.names) + 1}"
            self.names[evidence.id] = name
            self.by_name[name] = evidence
        return self.names[evidence.id]

    def evidence(self, name: str) -> Evidence | None:
        """Return the evidence that a model names, by short name or id, or None when it was never on the desk."""
        found = self.by_name.get(name.strip().upper())
        return found or next((e for e in self.by_name.values() if e.id == name.strip()), None)

    def document(self, path: str) -> Document | None:
        """Return the document that is shown under `path`."""
        return next((d for d in self.view.documents if self.text(d.path) == path or d.path == path), None)

    def text(self, text: str, limit: int = 200) -> str:
        """Return text of a source as it may be shown."""
        return harmless(self.excerpts.text(text), limit)

    def line(self, evidence: Evidence) -> str:
        """Return the first line of `evidence` as it may be shown."""
        return harmless(self.excerpts.shown(evidence).split("\n", 1)[0])

    def shown_entity(self, entity: EntityRef) -> str:
        """Return `kind/name` or `kind/namespace/name` or `kind/node/name`, as shown."""
        return self.text(entity.key, 100).replace(" ", "_")
