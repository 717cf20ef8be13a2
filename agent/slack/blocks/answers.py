"""Progress, and short answers: to commands, to follow-up questions, to those who may not. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from firstfault.agent.render.briefing import brief
from firstfault.agent.render.phrases import VERDICTS, seconds
from firstfault.agent.report.contract import Report
from firstfault.agent.slack.blocks.names import COMMAND
from firstfault.agent.slack.blocks.parts import Block, context, message, section
from firstfault.agent.slack.blocks.text import code, escaped, local, plain, prose
from firstfault.agent.slack.blocks.view import View

STAGES = {
    "intake": "reading the question",
    "preserve": "keeping what will be gone soon",
    "collect": "reading the sources",
    "extract": "looking for signals",
    "correlate": "putting clocks and echoes in order",
    "hypothesize": "testing the failure classes",
    "deliberate": "asking the model for more reads",
    "recall": "looking for past incidents",
    "recommend": "working out what to do",
    "gate": "asking the policy gate",
    "publish": "writing the report",
}
_PRINTED = 2800
"""Characters of one block of printed lines."""
_PRINTED_PARTS = 10
STRANGER = "I work in the channels that I was set up for. Ask there, or ask whoever runs firstfault here to add this channel."
HELP = f"""*{COMMAND}* `investigate` QUESTION · asks about the cluster of this channel
*{COMMAND}* `status` · what was seen here, what waits for people
*{COMMAND}* `why` INCIDENT [CLASS] · why a class is the diagnosis
*{COMMAND}* `why-not` INCIDENT CLASS · why a class is not
*{COMMAND}* `similar` INCIDENT · past incidents like it
*{COMMAND}* `silence` INCIDENT|CLASS|ALERT|NODE 2h WHY · no new messages about it here
*{COMMAND}* `score` · how good the recommendations were
Mention me in an incident's thread with a question; log lines that you paste there, and links to alerts, are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an investigation is. stage: the last one that ended, None while it waits. usual_s: how long others took."""

    stage: str | None = None
    reads: int = 0
    usual_s: float | None = None

    @property
    def told(self) -> str:
        """Return it in words."""
        names = list(STAGES)
        if self.stage not in STAGES:
            return "waiting for its turn"
        done = names.index(self.stage) + 1
        following = STAGES[names[min(done, len(names) - 1)]]
        reads = f", {self.reads} documents read" if self.reads else ""
        return f"step {done} of {len(names)} done{reads}; now {following}"


def progress(question: str, so_far: Progress, person: str) -> dict[str, Any]:
    """Return what is shown while somebody waits for an answer."""
    usual = f" · usually takes {seconds(so_far.usual_s)}" if so_far.usual_s else ""
    text = f"🔎 {prose(question, 200)}\n{so_far.told}{usual}"
    words = plain(f"Investigating: {prose(question, 200)} ({so_far.told})")
    return message(words, [section(text), context(f"asked by {person}")])


def failed(question: str, why: str) -> dict[str, Any]:
    """Return that an investigation did not end, and why."""
    text = f"⚠️ {prose(question, 200)}\nThe investigation failed: {prose(why, 300)}. Ask again, or look at the log of firstfault."
    return message(plain(text), [section(text)])


def follow_up(view: View, before: Report | None, question: str) -> dict[str, Any]:
    """Return the answer in a thread: what the report says now, and what that changed."""
    report = view.report
    briefing = brief(report)
    lines = [
        f"*Asked:* {prose(question, 200)}" if question else "",
        f"*{VERDICTS[report.verdict]}* · {prose(briefing.headline, 300)}",
        f"{_changed(before, report)}",
    ]
    lines += [f"• {prose(sentence.text, 300)}" for sentence in briefing.said[:3]]
    text = "\n".join(line for line in lines if line)
    return message(plain(text), [section(text), context(view.whole())])


def _changed(before: Report | None, now: Report) -> str:
    if before is None:
        return ""
    was, is_now = before.diagnosis.failure_class, now.diagnosis.failure_class
    fresh = len({part.id for part in now.evidence} - {part.id for part in before.evidence})
    news = f"{fresh} new excerpts" if fresh else "no new excerpts"
    if (was, before.verdict) == (is_now, now.verdict):
        return f"Unchanged: {code(is_now, 60)}; {news}."
    return f"Changed: was {VERDICTS[before.verdict]} {code(was, 60)}, is {VERDICTS[now.verdict]} {code(is_now, 60)}; {news}."


def lines(title: str, told: Sequence[str], *, none: str = "nothing") -> dict[str, Any]:
    """Return a short list as an answer to a command."""
    text = "\n".join([f"*{escaped(title)}*", *(told or [none])])
    return message(plain(text), [section(text)])


def printed(title: str, told: Sequence[str]) -> dict[str, Any]:
    """Return lines as they stand on a terminal."""
    body = escaped("\n".join(told).replace("```", "ˋˋˋ"))
    parts = _parted(body.split("\n"), _PRINTED)[:_PRINTED_PARTS]
    blocks: list[Block] = [section(f"*{escaped(title)}*"), *(section(f"```\n{part}\n```") for part in parts)]
    return message(title, blocks)


def _parted(rows: Sequence[str], limit: int) -> list[str]:
    parts: list[str] = [""]
    for row in rows:
        shown = row[:limit]
        if len(parts[-1]) + len(shown) + 1 > limit:
            parts.append("")
        parts[-1] += ("\n" if parts[-1] else "") + shown
    return parts


def simple(text: str) -> dict[str, Any]:
    """Return one sentence of ours."""
    return message(plain(text), [section(text)])


def silenced(subject: str, until: datetime) -> dict[str, Any]:
    """Return that something is silenced."""
    return simple(f"No new messages about {code(subject, 80)} in this channel until {local(until)}.")
