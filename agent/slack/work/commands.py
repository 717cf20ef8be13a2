"""What `/firstfault` answers: from the database, to the one who asked, and only about what this channel may hear of."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from firstfault.agent.classes.definitions import load_classes
from firstfault.agent.explain.explanation import NoSuchClassError, explain
from firstfault.agent.explain.known import NoRunError, known_of_incident
from firstfault.agent.explain.words import lines_of
from firstfault.agent.render.phrases import VERDICTS
from firstfault.agent.report.contract import SimilarPart
from firstfault.agent.slack.blocks import answers
from firstfault.agent.slack.blocks.text import code, date, local, prose
from firstfault.agent.slack.desk import Caller, Desk
from firstfault.agent.store import StoreError
from firstfault.agent.store.requests import Silence
from firstfault.policies.approvals import ApprovalState
from firstfault.tools.redaction.excerpts import excerpts_of

INVESTIGATE = "investigate"
_SHOWN = 10
_SPAN = re.compile(r"^(\d{1,4})(m|h|d)$")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_LONGEST = timedelta(days=14)
_LINES = 60
Content = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Commands:
    """The commands that are answered at once. score: the scorecard in a few lines."""

    desk: Desk
    score: Callable[[], str]

    def answer(self, text: str, caller: Caller) -> Content:
        """Return what is said to the one who gave the command."""
        word, _, rest = text.strip().partition(" ")
        handlers: Mapping[str, Callable[[Sequence[str], Caller], Content]] = {
            "status": self._status,
            "why": self._why,
            "why-not": self._why,
            "similar": self._similar,
            "silence": self._silence,
            "score": self._score,
        }
        handler = handlers.get(word.lower())
        if handler is None:
            return answers.simple(answers.HELP)
        try:
            return handler(rest.split(), caller)
        except (StoreError, NoRunError, NoSuchClassError) as error:
            return answers.simple(prose(str(error), 400))

    def _status(self, words: Sequence[str], caller: Caller) -> Content:
        del words
        store = self.desk.store
        told: list[str] = []
        for incident_id in store.messages.incidents_in(caller.channel, _SHOWN):
            told += self._incident(incident_id)
        told += [
            f"• silent about {code(silence.subject, 60)} until {local(silence.until)}, by {prose(silence.by, 40)}"
            for silence in store.requests.silences(caller.channel, self.desk.clock())
        ]
        behind = store.messages.counts().get("behind", 0)
        if behind:
            told.append(f"{behind} messages are still to be sent")
        return answers.lines("Seen in this channel", told, none="nothing yet")

    def _incident(self, incident_id: str) -> Iterator[str]:
        store, now = self.desk.store, self.desk.clock()
        record = store.incidents.find(incident_id)
        if record is None:
            return
        verdict = VERDICTS.get(record.verdict or "", "being investigated")
        summary = (record.summary or record.incident.question).split("\n", 1)[0]
        yield f"• {local(record.created_at)} {code(incident_id, 60)} *{verdict}* {prose(self.desk.redact(summary), 120)}"
        for approval in store.approvals.of_incident(incident_id):
            if approval.state(now) is ApprovalState.PENDING:
                yield f"   waits for approval: {code(approval.action.value)} until {date(approval.expires_at)}"

    def _why(self, words: Sequence[str], caller: Caller) -> Content:
        if not self._is_known(words, caller):
            return self._unknown(words)
        known = known_of_incident(self.desk.store, words[0])
        found = explain(words[1] if len(words) > 1 else None, load_classes(), known)
        excerpts = excerpts_of(known.documents, self.desk.redact)
        told = [excerpts.text(line) for line in lines_of(found, excerpts.shown)]
        left = len(told) - _LINES
        more = [f"and {left} more lines: firstfault explain {words[0]}"] if left > 0 else []
        return answers.printed(f"{words[0]}: {found.definition.failure_class}", [*told[:_LINES], *more])

    def _similar(self, words: Sequence[str], caller: Caller) -> Content:
        if not self._is_known(words, caller):
            return self._unknown(words)
        report = self.desk.store.reports.get(words[0])
        parts = () if report is None else report.similar_incidents
        told = [_alike(part) for part in parts if self.desk.hears(caller, part.id)]
        return answers.lines(f"Like {words[0]}", told, none="none in memory")

    def _silence(self, words: Sequence[str], caller: Caller) -> Content:
        span = _span(words[1]) if len(words) > 1 else None
        if span is None:
            return answers.simple("Say what and for how long: `/firstfault silence inc-… 2h why`")
        subject, why = self.desk.redact(words[0]), " ".join(words[2:])
        now = self.desk.clock()
        person = self.desk.people.name(caller.account)
        silence = Silence(
            channel=caller.channel,
            subject=subject,
            until=now + span,
            by=person,
            why=self.desk.redact(why),
            at=now,
        )
        self.desk.store.requests.silence(silence)
        if self._is_known([subject], caller):
            self.desk.note(subject, "chat.silenced", now.isoformat(), caller, why or "no reason given")
            self.desk.touch(subject)
        return answers.silenced(subject, now + span)

    def _score(self, words: Sequence[str], caller: Caller) -> Content:
        del words, caller
        return answers.printed("Shadow scorecard", self.score().splitlines())

    def _is_known(self, words: Sequence[str], caller: Caller) -> bool:
        """Return whether an incident is named that was investigated and that the channel may hear of."""
        if not words or self.desk.store.incidents.find(words[0]) is None:
            return False
        return self.desk.hears(caller, words[0])

    @staticmethod
    def _unknown(words: Sequence[str]) -> Content:
        if not words:
            return answers.simple("Name an incident: `/firstfault status` lists those of this channel.")
        return answers.simple(
            f"This channel knows no incident {code(words[0], 60)}: `/firstfault status` lists its own."
        )


def _alike(part: SimilarPart) -> str:
    ended = prose(part.resolution or "how it ended was not told", 160)
    return f"• {code(part.id, 60)}: both had {prose(', '.join(part.shared), 160)}; {ended}"


def _span(text: str) -> timedelta | None:
    found = _SPAN.match(text.lower())
    if found is None:
        return None
    span = timedelta(**{_UNITS[found[2]]: int(found[1])})
    return span if timedelta(0) < span <= _LONGEST else None
