"""One deliberation: ask, check, read, ask again, until there is nothing to read, new data came in, or a limit is reached.

Pure but for the model and `read`, both given. No exception of a model leaves here: it becomes a stop reason and a gap.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from firstfault.agent.deliberation.answer import Read, Said, parse_answer
from firstfault.agent.deliberation.desk import Desk
from firstfault.agent.deliberation.proposals import check_hypothesis, check_signal, claim_of
from firstfault.agent.deliberation.quoting import harmless
from firstfault.agent.deliberation.reads import RefusedRead, Result, carry_out, key_of
from firstfault.agent.deliberation.schema import output_schema
from firstfault.agent.deliberation.tables import fenced, view_text
from firstfault.agent.deliberation.view import Deliberation, DeliberationView, Proposal
from firstfault.agent.findings import TimelineEntry
from firstfault.agent.grounding.claims import Claim, Dropped
from firstfault.agent.model.budget import Budget, Stop
from firstfault.agent.model.port import (
    Message,
    ModelError,
    ModelExchange,
    ModelPort,
    ModelRefused,
    ModelReply,
    ModelRequest,
    ModelUnavailable,
    Speaker,
)
from firstfault.agent.model.prompts import Prompt, load_prompt
from firstfault.tools.evidence import Gap
from firstfault.tools.sources import Answer, Question

MAX_ROUNDS = 3
"""Answers that may ask for reads, in one deliberation."""

ReadSource = Callable[[Question], Answer]
Record = Callable[[ModelExchange], None]


def deliberate(
    view: DeliberationView, model: ModelPort, read: ReadSource, budget: Budget, record: Record
) -> Deliberation:
    """Return what the model added: reads made for it, lines it points at, claims to be grounded. Moves no verdict.

    `budget` is the incident's; the one in the result goes into the next deliberation. `record` gets every exchange.
    """
    return _Deliberation(desk=Desk(view=view), model=model, read=read, budget=budget, record=record).run()


@dataclass(kw_only=True)
class _Deliberation:
    desk: Desk
    model: ModelPort
    read: ReadSource
    budget: Budget
    record: Record
    results: list[Result] = field(default_factory=list[Result])
    signals: list[TimelineEntry] = field(default_factory=list[TimelineEntry])
    proposals: list[Proposal] = field(default_factory=list[Proposal])
    claims: tuple[Claim, ...] = ()
    rejected: list[Dropped] = field(default_factory=list[Dropped])

    def run(self) -> Deliberation:
        text = view_text(self.desk)
        for number in range(MAX_ROUNDS + 1):
            said = self._ask(text, last=number == MAX_ROUNDS)
            if isinstance(said, Stop):
                return self._result(said)
            self._take(said)
            if not said.reads or number == MAX_ROUNDS:
                break
            text += f"\n\nREADS {number + 1}\n{fenced(self._tables(said))}"
            if any(result.answer and result.answer.documents for result in self.results):
                return self._result(Stop.NEW_DOCUMENTS)
        self._reword(text)
        return self._result(Stop.DONE)

    def _ask(self, text: str, *, last: bool) -> Said | Stop:
        prompts = (load_prompt("last"),) if last else ()
        said = self._exchange("deliberate", text, *prompts)
        if said is None:
            said = self._exchange("repair", text, *prompts, load_prompt("repair"))
        return Stop.UNREADABLE if said is None else said

    def _reword(self, text: str) -> None:
        """Let the model say once more, by the rules, what would be dropped; keep what was fine."""
        against = self.desk.view.check(self.claims, tuple(self.desk.by_name.values()))
        if not against:
            return
        listed = "\n".join(f"{harmless(item.text, 300)} | {item.because}" for item in against)
        said = self._exchange("reword", f"{text}\n\nDROPPED\n{fenced(listed)}", load_prompt("reword"))
        if isinstance(said, Said):
            self.rejected += against
            unfit = {item.text for item in against}
            again = tuple(claim_of(self.desk, claim) for claim in said.claims)
            self.claims = (*(c for c in self.claims if c.text not in unfit), *again)

    def _exchange(self, step: str, text: str, *further: Prompt) -> Said | Stop | None:
        """Return the answer, why there is none, or None when it could not be read."""
        system = load_prompt("deliberate")
        request = ModelRequest(
            step=step,
            messages=(
                Message(speaker=Speaker.SYSTEM, text=system.text),
                Message(speaker=Speaker.USER, text="\n\n".join([text, *(prompt.text for prompt in further)])),
            ),
            output=output_schema(),
            max_completion_tokens=self.budget.completion_tokens_left,
            max_attempts=self.budget.calls_left,
            timeout_s=self.budget.seconds_left,
            prompt_digest=" ".join(f"{prompt.name}:{prompt.digest}" for prompt in (system, *further)),
        )
        stop = self.budget.stop_before(request, self.model.price)
        if stop is not None:
            return stop
        try:
            reply = self.model.complete(request)
        except ModelError as error:
            return self._failed(request, error)
        self._charge(request, reply)
        return parse_answer(reply.text)

    def _charge(self, request: ModelRequest, reply: ModelReply) -> None:
        self.budget = self.budget.charged(request, reply.text, reply.usage, self.model.price)
        self.record(ModelExchange(request=request, model=self.model.name, reply=reply, usage=reply.usage))

    def _failed(self, request: ModelRequest, error: ModelError) -> Stop | None:
        self.budget = self.budget.charged(request, "", error.usage, self.model.price)
        self.record(
            ModelExchange(request=request, model=self.model.name, error=str(error), usage=error.usage)
        )
        if isinstance(error, ModelUnavailable):
            return Stop.SECONDS if self.budget.seconds_left <= 0 else Stop.UNAVAILABLE
        return Stop.REFUSED if isinstance(error, ModelRefused) else None

    def _take(self, said: Said) -> None:
        """Check what an answer proposes; the claims of the last answer stand, all of them refer to one desk."""
        classes = frozenset(h.failure_class for h in self.desk.view.hypotheses)
        for hypothesis in said.hypotheses:
            self._sort(check_hypothesis(self.desk, hypothesis, classes))
        for signal in said.signals:
            self._sort(check_signal(self.desk, signal))
        self.claims = tuple(claim_of(self.desk, claim) for claim in said.claims)

    def _sort(self, found: TimelineEntry | Proposal | Dropped) -> None:
        if isinstance(found, Dropped):
            self.rejected.append(found)
        elif isinstance(found, Proposal):
            self.proposals = [p for p in self.proposals if p.evidence != found.evidence] + [found]
        elif all(entry.signal.evidence != found.signal.evidence for entry in self.signals):
            self.signals.append(found)

    def _tables(self, said: Said) -> str:
        return "\n\n".join(self._carried_out(item) for item in said.reads)

    def _carried_out(self, read: Read) -> str:
        asked = self.desk.text(read.model_dump_json(exclude_none=True), 300)
        key = key_of(read, len(self.desk.view.documents))
        if key in self.budget.spent.read:
            return f"{asked}\nrefused: this was asked before"
        self.budget = self.budget.having_read(key)
        try:
            result = carry_out(self.desk, read, self.read)
        except RefusedRead as refusal:
            return f"{asked}\nrefused: {refusal}"
        self.results.append(result)
        return f"{asked}\n{result.table}"

    def _result(self, stop: Stop) -> Deliberation:
        answers = [result.answer for result in self.results if result.answer is not None]
        claims = () if stop is Stop.NEW_DOCUMENTS else self.claims
        used = {item for claim in claims for item in claim.evidence}
        return Deliberation(
            documents=tuple(document for answer in answers for document in answer.documents),
            coverage=tuple(coverage for answer in answers for coverage in answer.coverage),
            gaps=(*(gap for answer in answers for gap in answer.gaps), *_gap_of(stop)),
            results=tuple(result.whole for result in self.results if result.whole is not None),
            signals=tuple(self.signals),
            proposals=tuple(self.proposals),
            claims=claims,
            rejected=tuple(self.rejected),
            evidence=tuple(item for item in self.desk.by_name.values() if item.id in used),
            budget=self.budget,
            stop=stop,
        )


def _gap_of(stop: Stop) -> tuple[Gap, ...]:
    if stop in {Stop.DONE, Stop.NEW_DOCUMENTS}:
        return ()
    return (
        Gap(source="model", why=stop.sentence, would_tell="whether further reads would test what is open"),
    )
