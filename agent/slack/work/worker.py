"""Does what was asked for: commands at once, investigations one after the other; goes on with what a crash left.

Everything it knows is in the database. A request is finished only when its answer is in the outbox.
"""

import statistics
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta

from firstfault.agent.report.contract import Report
from firstfault.agent.slack.blocks import answers
from firstfault.agent.slack.blocks.names import Ask
from firstfault.agent.slack.desk import Caller, Desk
from firstfault.agent.slack.outbound.cleaning import cleaned
from firstfault.agent.slack.outbound.publication import ASKED, CARD
from firstfault.agent.slack.standing import standing_of
from firstfault.agent.slack.work.commands import INVESTIGATE, Commands
from firstfault.agent.slack.work.inquiry import Inquiries, Investigate, question_of, words_of
from firstfault.agent.store import Status
from firstfault.agent.store.messages import Wish
from firstfault.agent.store.requests import Request

ANSWER = "answer"
SEEN = "eyes"
"""The reaction that says that a question was heard."""
_USUAL_OF = 20
"""Finished incidents from which the usual time of an investigation is taken."""

_LONGEST_USUAL = timedelta(hours=1)


@dataclass(kw_only=True)
class RequestWorker:
    """Accepts and runs requests. investigate: runs an inquiry to its report."""

    desk: Desk
    commands: Commands
    inquiries: Inquiries
    investigate: Investigate
    running: tuple[Request, Future[None]] | None = None

    def step(self, pool: ThreadPoolExecutor) -> None:
        """Take what is new, and begin the next investigation when none is running."""
        self._collect()
        for request in self.desk.store.requests.unaccepted():
            self._accept(request)
        if self.running is not None:
            return
        waiting = self.desk.store.requests.unfinished()
        if waiting:
            request = waiting[0]
            future = pool.submit(self._run, request)
            self.running = (request, future)
            future.add_done_callback(lambda _: self.desk.wake.set())

    def _collect(self) -> None:
        if self.running is None or not self.running[1].done():
            return
        request, future = self.running
        self.running = None
        # Whatever it raised: one question that cannot be answered must not stop the next one.
        error = future.exception()
        if error is not None:
            why = " ".join(str(error).split()) or type(error).__name__
            self.desk.said(f"{request.key}: the investigation failed ({type(error).__name__}: {why})")
            self._want(
                request,
                answers.failed(self._question(request), self.desk.redact(why)),
                self._incident(request),
            )
            self.desk.store.requests.finish(request.key, self.desk.clock())
            self.desk.wake.set()

    def _accept(self, request: Request) -> None:
        now = self.desk.clock()
        caller = Caller(account=str(request.content.get("person", "")), channel=request.channel)
        text = str(request.content.get("text", ""))
        if request.kind == Ask.COMMAND and text.strip().partition(" ")[0].lower() != INVESTIGATE:
            content = cleaned(self.commands.answer(text, caller), self.desk.redact)
            url = str(request.content.get("answer_to", ""))
            self.desk.soon(lambda: self.desk.conversation.answer(url, content))
            self.desk.store.requests.finish(request.key, now)
            return
        if not self.desk.channels.may_read_cluster(request.channel):
            self.desk.whisper(caller, "The cluster that I read does not belong to this channel.")
            self.desk.store.requests.finish(request.key, now)
            return
        if self.inquiries.is_early(request):
            return  # looked at again once the sender knows where its message stands
        incident_id = self.inquiries.incident_of(request)
        with self.desk.store.together():
            self.desk.store.requests.accept(request.key, now, incident_id)
            self._want(request, self._progress(request, None), incident_id)
        self._acknowledge(request)
        self.desk.wake.set()

    def _acknowledge(self, request: Request) -> None:
        stamp = str(request.content.get("stamp") or "")
        if stamp and request.kind != Ask.RERUN:
            self.desk.soon(lambda: self.desk.conversation.react(request.channel, stamp, SEEN))
        url = str(request.content.get("answer_to") or "")
        if url:
            self.desk.soon(lambda: self.desk.conversation.answer(url, answers.simple("Looking into it.")))

    def _run(self, request: Request) -> None:
        inquiry = self.inquiries.begin(request, self.desk.clock())
        report = self.investigate(inquiry, lambda stage: self._stage(request, stage))
        self._answered(request, report)

    def _stage(self, request: Request, stage: str) -> None:
        if stage in answers.STAGES:
            self._want(request, self._progress(request, stage), self._incident(request))
            self.desk.wake.set()

    def _answered(self, request: Request, report: Report) -> None:
        store, now = self.desk.store, self.desk.clock()
        incident_id = report.incident.id
        version = store.reports.count(incident_id)
        before = store.reports.get(incident_id, version - 1) if version > 1 else report
        standing = standing_of(store, incident_id, now)
        view = self.desk.publication.view(report, standing, request.channel, now, asked=True)
        with store.together():
            if self._is_about_known(request):
                self._want(
                    request, answers.follow_up(view, before, self.desk.redact(words_of(request))), incident_id
                )
            self.desk.publication.refresh(incident_id, now)
            store.requests.finish(request.key, now)
        self.desk.changed.add(incident_id)
        self.desk.wake.set()

    def _want(self, request: Request, content: dict[str, object], incident_id: str) -> None:
        is_follow_up = self._is_about_known(request)
        thread = str(request.content.get("thread") or "") or None
        wish = Wish(
            key=f"{ASKED}{request.key}",
            kind=ANSWER if is_follow_up else CARD,
            channel=request.channel,
            content=cleaned(content, self.desk.redact),
            incident_id=incident_id,
            thread=thread,
        )
        self.desk.store.messages.want(wish, self.desk.clock())

    def _is_about_known(self, request: Request) -> bool:
        """Return whether the request is about an incident that another message shows already."""
        mine = f"{ASKED}{request.key}"
        shown = self.desk.store.messages.of_incident(self._incident(request))
        return any(kept.kind == CARD and not kept.key.startswith(mine) for kept in shown)

    def _incident(self, request: Request) -> str:
        return request.incident_id or self.inquiries.incident_of(request)

    def _progress(self, request: Request, stage: str | None) -> dict[str, object]:
        account = str(request.content.get("person", ""))
        incident_id = self._incident(request)
        reads = 0 if stage is None else len(self.desk.store.evidence.documents(incident_id))
        so_far = answers.Progress(stage=stage, reads=reads, usual_s=self.usual_s())
        return answers.progress(self._question(request), so_far, f"<@{account}>")

    def _question(self, request: Request) -> str:
        return self.desk.redact(question_of(request))

    def usual_s(self) -> float | None:
        """Return how long investigations took lately, None before the first."""
        spans = [
            record.closed_at - record.created_at
            for record in self.desk.store.incidents.recent(status=Status.CLOSED, limit=_USUAL_OF)
            if record.closed_at is not None and record.closed_at - record.created_at < _LONGEST_USUAL
        ]
        return round(statistics.median(span.total_seconds() for span in spans)) if spans else None
