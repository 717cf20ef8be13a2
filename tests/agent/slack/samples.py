"""One of every message, from bundled cases, hand-made hard reports, and approvals in every state."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from firstfault.agent.executor.steps import Call, Check, Plan, Step, Test, Verb
from firstfault.agent.report.contract import Report
from firstfault.agent.slack.blocks import answers, modals
from firstfault.agent.slack.blocks.card import card
from firstfault.agent.slack.blocks.details import details
from firstfault.agent.slack.blocks.view import View
from firstfault.agent.slack.standing import Asked, Standing
from firstfault.agent.store.decisions import DecisionRecord, Origin, decision_record
from firstfault.agent.store.ledger import Execution
from firstfault.policies import Action, History
from firstfault.policies.approvals import Approval, ApprovalState, Vote
from firstfault.policies.engine import inputs_of
from firstfault.policies.history import Ending
from tests import reports
from tests.agent.render import samples
from tests.policies.worlds import NOW, facts, gate, limits, policies, proposal
from tests.rehearsals import rehearsal_of

CASES = Path(__file__).parents[3] / "evals" / "cases"
KEPT = Path(__file__).with_name("reports")
BUNDLED = ("gpu-079", "k8s-058")
PAGE = "https://firstfault.example/incidents/gpu-079"
MEMBERS = {"ada": "U0ADA", "grace": "U0GRACE"}
Content = Mapping[str, Any]


def of_case(name: str) -> Report:
    """Return the report of a bundled case as it was made once: a diagnosis that learns changes no message."""
    return Report.model_validate_json((KEPT / f"{name}.json").read_text(encoding="utf-8"))


def investigated(name: str) -> Report:
    """Return the report of a bundled case, made now as the pipeline makes it, without a model."""
    with TemporaryDirectory() as folder, rehearsal_of(CASES / name, Path(folder)) as rehearsal:
        return rehearsal.finish(None)


def offered() -> Report:
    """Return the demo's report with cells that are offered: one needs approval, one is denied, the rest are in shadow."""
    report = samples.gpu_079()
    node = reports.entity("node", "gpu-n7")
    ask = reports.policy(
        "NEEDS_APPROVAL", "NEEDS_APPROVAL", ("approval.required",), ("one person must say yes",), "approve"
    )
    deny = reports.policy(
        "DENY", "DENY", ("workload.pdb",), ("1 disruption budget has no room",), "recommend"
    )
    parts = [
        reports.recommendation("cordon_node", node, why="no new work may land on it", gate=ask),
        reports.recommendation("drain_node", node, why="its jobs cannot continue", gate=deny),
        reports.recommendation("node_reboot", node, why="the link must be trained again"),
    ]
    return report.model_copy(update={"recommendations": parts})


def decision(action: Action = Action.CORDON_NODE) -> DecisionRecord:
    """Return a decision of the gate that needs approval."""
    asked = proposal(action)
    inputs = inputs_of(asked, facts(), History.of([], []), limits(), policies())
    return decision_record(inputs, gate(asked), correlation_id="c-1", made_at=NOW, origin=Origin.LIVE)


def approval(record: DecisionRecord, **changes: Any) -> Approval:  # noqa: ANN401 - any field
    """Return an approval that waits."""
    waiting = Approval(
        id="apr-0123456789abcdef",
        decision_id=record.id,
        binding=record.binding,
        action=record.proposal.action,
        requester="firstfault",
        needed=1,
        asked_at=NOW,
        expires_at=NOW + timedelta(minutes=30),
    )
    return replace(waiting, **changes)


def asked(state: ApprovalState, **changes: Any) -> Asked:  # noqa: ANN401 - any field
    """Return one approval in a state, with what led to it."""
    record = decision()
    given = approval(record, **{key: value for key, value in changes.items() if key not in _OF_ASKED})
    rest = {key: value for key, value in changes.items() if key in _OF_ASKED}
    return Asked(approval=given, decision=record, state=state, **rest)


_OF_ASKED = frozenset({"execution", "refused", "rehearsed"})


def vote(name: str, *, is_yes: bool = True) -> Vote:
    """Return what somebody said."""
    return Vote(approver=name, is_yes=is_yes, at=NOW + timedelta(minutes=3), via="slack")


def execution(ending: Ending, why: str) -> Execution:
    """Return how a run ended."""
    record = decision()
    return Execution(
        id="exe-1",
        decision_id=record.id,
        incident_id="gpu-079",
        correlation_id="c-1",
        action=record.proposal.action,
        target=record.proposal.target.key,
        scopes=(),
        plan="{}",
        begun_at=NOW + timedelta(minutes=4),
        ended_at=NOW + timedelta(minutes=5),
        ending=ending,
        why=why,
    )


def standings() -> Mapping[str, Standing]:
    """Return where the approval of one action can stand."""
    yes = {"votes": (vote("ada"),)}
    states = {
        "pending": asked(ApprovalState.PENDING),
        "one-of-two": asked(ApprovalState.PENDING, needed=2, **yes),
        "approved": asked(ApprovalState.APPROVED, **yes),
        "done": asked(
            ApprovalState.APPROVED, **yes, execution=execution(Ending.DONE, "1 step done and verified")
        ),
        "rehearsed": asked(
            ApprovalState.APPROVED,
            **yes,
            rehearsed="would send `PATCH /api/v1/nodes/gpu-n7`; nothing was sent",
        ),
        "refused": asked(ApprovalState.APPROVED, **yes, refused="facts changed: gpu-n7 is cordoned by ann"),
        "rejected": asked(ApprovalState.REJECTED, votes=(vote("grace", is_yes=False),)),
        "expired": asked(ApprovalState.EXPIRED),
        "superseded": asked(ApprovalState.SUPERSEDED, superseded_why="decided anew as dec-2"),
    }
    return {name: Standing(version=1, asked=(each,)) for name, each in states.items()}


def plan() -> Plan:
    """Return a plan of one step."""
    path = "/api/v1/nodes/gpu-n7"
    return Plan(
        action=Action.CORDON_NODE,
        target="node/gpu-n7",
        deadline_s=120,
        steps=(
            Step(
                name="cordon gpu-n7",
                call=Call(
                    verb=Verb.PATCH, path=path, body={"spec": {"unschedulable": True}}, is_guarded=True
                ),
                undo=Call(verb=Verb.PATCH, path=path, body={"spec": {"unschedulable": None}}),
                before=(Check(path=path, test=Test.IS_NOT, field=("spec", "unschedulable"), value=True),),
                done=(Check(path=path, test=Test.IS, field=("spec", "unschedulable"), value=True),),
            ),
        ),
    )


def view(report: Report, standing: Standing | None = None, *, with_shadow: bool = True) -> View:
    """Return a report as a channel sees it."""
    return View(
        report=report,
        standing=standing or Standing(version=1),
        with_shadow=with_shadow,
        page=PAGE,
        members=MEMBERS,
    )


def messages() -> Mapping[str, Content]:
    """Return every kind of message, by name."""
    made: dict[str, Content] = {}
    for name in BUNDLED:
        report = of_case(name)
        made[f"card-{name}"] = card(view(report))
        made[f"details-{name}"] = details(view(report))
    hard = {
        "undecided": samples.undecided(),
        "healthy": samples.healthy(),
        "crowded": samples.crowded(),
        "hostile": samples.hostile(),
    }
    for name, report in hard.items():
        made[f"card-{name}"] = card(view(report))
        made[f"details-{name}"] = details(view(report))
    for name, standing in standings().items():
        made[f"approval-{name}"] = card(view(offered(), standing, with_shadow=False))
    said = Standing(version=2, said={"ada": "gpu.fell_off_bus", "grace": "gpu.power"})
    made["card-said"] = card(view(samples.gpu_079(), said))
    quiet = Standing(version=2, quiet_until=NOW + timedelta(hours=4), quiet_by="ada")
    made["card-snoozed"] = card(view(samples.gpu_079(), quiet))
    return {**made, **_answers()}


def _answers() -> Mapping[str, Content]:
    now, before = samples.gpu_079(), samples.undecided()
    question = "was it the power supply of `gpu-n7`? <see below>"
    reading = answers.Progress(stage="collect", reads=14, usual_s=12.0)
    return {
        "progress-waiting": answers.progress(question, answers.Progress(), "<@U0ADA>"),
        "progress-reading": answers.progress(question, reading, "<@U0ADA>"),
        "failed": answers.failed(question, "the API server does not answer"),
        "follow-up-changed": answers.follow_up(view(now), before, question),
        "follow-up-same": answers.follow_up(view(now), now, question),
        "help": answers.simple(answers.HELP),
        "stranger": answers.simple(answers.STRANGER),
        "why": answers.printed(
            "gpu-079: gpu.fell_off_bus", ["+ decisive, xid: Xid 79", "  raw/kernel.log:3"]
        ),
        "silenced": answers.silenced("gpu-079", datetime(2026, 4, 1, 5, tzinfo=UTC)),
    }


def views() -> Mapping[str, Content]:
    """Return every modal, by name."""
    waiting, ids = asked(ApprovalState.PENDING), {"approval": "apr-1", "channel": "C1", "stamp": "1.2"}
    return {
        "modal-approve-reading": modals.approval(waiting, None, None, ids),
        "modal-approve": modals.approval(waiting, plan(), None, ids),
        "modal-approve-no-plan": modals.approval(waiting, None, "the API server does not answer", ids),
        "modal-reject": modals.rejection(waiting, ids),
        "modal-wrong": modals.correction(
            "gpu.fell_off_bus", ("gpu.ecc", "gpu.power", "host.disk"), "gpu/0", ids
        ),
        "modal-snooze": modals.snooze("gpu-079", ids),
        "modal-evidence": modals.evidence(view(samples.gpu_079())),
        "modal-evidence-hostile": modals.evidence(view(samples.hostile())),
        "modal-said": modals.said("Not taken", "`ann` may not approve cordon_node: see [approvers]"),
    }
