"""What people said and pasted in a thread, as documents like any others: citable by line, and never more than a human's word.

All of it is of the family of notes: it can point at a cause and can name one, and never makes a diagnosis CONFIRMED.
"""

import html
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from firstfault.agent.slack.ports.port import Said
from firstfault.tools.alerts.alert import Alert
from firstfault.tools.bodies import MemoryBody
from firstfault.tools.evidence import Coverage, CoverageState, Document
from firstfault.tools.kinds import Kind
from firstfault.tools.sources import Answer, Question, narrowed
from firstfault.tools.times import Window

SOURCE = "slack"
_MENTION = re.compile(r"<@[UW]\w+(?:\|[^>]*)?>")
_LINK = re.compile(r"<(https?://[^|>]+)(?:\|([^>]*))?>")
_OTHER = re.compile(r"<[#!]([^|>]*)(?:\|([^>]*))?>")
_FENCED = re.compile(r"```(.*?)```", re.DOTALL)
_NODE = re.compile(r"\bnodes?[\s=:/]+[\"`']?([a-z0-9](?:[-.a-z0-9]*[a-z0-9])?)", re.IGNORECASE)
_NAMESPACE = re.compile(r"\bnamespaces?[\s=:/]+[\"`']?([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)", re.IGNORECASE)
_PASTED_LINES = 2
"""A message of so many lines is taken for something pasted."""


def unescaped(text: str) -> str:
    """Return what somebody typed: mentions left out, links as addresses, `&lt;` as `<`."""
    plain = _MENTION.sub("", text)
    plain = _LINK.sub(lambda found: found[1], plain)
    plain = _OTHER.sub(lambda found: found[2] or found[1], plain)
    return html.unescape(plain).strip()


def links_in(text: str) -> tuple[str, ...]:
    """Return the addresses in a message as it came from Slack."""
    return tuple(dict.fromkeys(html.unescape(found[1]) for found in _LINK.finditer(text)))


def question_in(text: str) -> str:
    """Return the words of a message without what was pasted into it, on one line."""
    return " ".join(_FENCED.sub(" ", unescaped(text)).split())


def pasted_in(text: str) -> tuple[str, ...]:
    """Return what was pasted into a message: fenced blocks, else all of it when it has several lines."""
    plain = unescaped(text)
    fenced = tuple(block.strip("\n") for block in _FENCED.findall(plain) if block.strip())
    if fenced:
        return fenced
    return (plain,) if plain.count("\n") + 1 >= _PASTED_LINES else ()


def names_in(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the nodes and namespaces that a message names as such."""
    plain = unescaped(text)
    return tuple(dict.fromkeys(_NODE.findall(plain))), tuple(dict.fromkeys(_NAMESPACE.findall(plain)))


def linked(alerts: Iterable[Alert], links: Sequence[str]) -> tuple[Alert, ...]:
    """Return the alerts that one of the links leads to."""
    wanted = set(links)
    return tuple(alert for alert in alerts if alert.link is not None and alert.link in wanted)


@dataclass(frozen=True, kw_only=True)
class PeopleSource:
    """What was said in a thread. place: of the thread, for the names of the documents."""

    place: str
    said: Sequence[Said]

    @property
    def name(self) -> str:
        """Return the name shown in reports and audit."""
        return SOURCE

    def read(self, question: Question, window: Window, as_of: datetime | None) -> Answer:
        """Return one document with what was said, and one for each thing that was pasted."""
        del window
        said = [each for each in self.said if each.text.strip() and not _is_later(each, as_of)]
        documents = (*self._spoken(said), *self._pasted(said))
        coverage = Coverage(
            source=self.name,
            kind=Kind.OPERATOR_NOTES,
            state=CoverageState.PARTIAL,
            lines_read=sum(each.text.count("\n") + 1 for each in said),
            note="what people said in the thread",
        )
        return narrowed(Answer(documents=documents, coverage=(coverage,) if said else ()), question)

    def _spoken(self, said: Sequence[Said]) -> tuple[Document, ...]:
        rows = [
            {"ts": each.stamp, "user": each.person or "an app", "text": words}
            for each in said
            if (words := question_in(each.text))
        ]
        if not rows:
            return ()
        text = "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"
        return (self._document(f"slack/{self.place}.json", text, "messages of the thread"),)

    def _pasted(self, said: Sequence[Said]) -> tuple[Document, ...]:
        return tuple(
            self._document(
                f"slack/{self.place}-{each.stamp}-{number}.txt", f"{text}\n", f"pasted by {each.person}"
            )
            for each in said
            for number, text in enumerate(pasted_in(each.text), start=1)
        )

    def _document(self, path: str, text: str, query: str) -> Document:
        return Document(
            path=path,
            kind=Kind.OPERATOR_NOTES,
            body=MemoryBody(text.encode("utf-8", "backslashreplace")),
            source=self.name,
            query=query,
        )


def _is_later(said: Said, as_of: datetime | None) -> bool:
    if as_of is None:
        return False
    try:
        return float(said.stamp) > as_of.timestamp()
    except ValueError:
        return False
