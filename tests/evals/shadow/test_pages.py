"""The scorecard and the post-mortem as people read them."""

from dataclasses import replace
from datetime import UTC, datetime

from firstfault.agent.feedback.labels import About, Label
from firstfault.agent.store import AuditEvent
from firstfault.evals.promotion.standings import mode_marks, standings
from firstfault.evals.shadow import pages, postmortem
from firstfault.evals.shadow.history import HumanAction, PastIncident, Thing
from firstfault.evals.shadow.scorecard import ShadowScorecard, make_scorecard
from firstfault.evals.shadow.standing import CellStanding
from firstfault.policies.actions import Action
from firstfault.policies.modes import Mode
from tests import reports
from tests.agent.render import samples
from tests.agent.render.test_html import Page
from tests.evals.shadow.twelve import OFFSET_S, twelve_scores

AT = datetime(2026, 4, 1, 3, 12, tzinfo=UTC)


def card() -> ShadowScorecard:
    return make_scorecard(
        twelve_scores(), score_offset_s=OFFSET_S, conflicts=["i1: people disagree on owner"]
    )


def cells(found: ShadowScorecard, mode: Mode = Mode.SHADOW) -> tuple[CellStanding, ...]:
    modes = {("gpu.fell_off_bus", Action.CORDON_NODE): mode}
    return tuple(standings(found, modes, frozenset({"gpu.fell_off_bus"})))


def test_every_form_says_what_matters_and_what_is_wrong() -> None:
    found = card()
    for text in (
        pages.terminal(found, cells(found)),
        pages.markdown(found, cells(found), "Week 10"),
        "".join(Page(pages.html(found, cells(found), "Week 10", mode_marks())).words),
    ):
        for part in (
            "12 incidents over 11 days",
            "3/5 60 % [23–88]",
            "i05: cordon",
            "false faults 1 of 2 quiet incidents, 0.091 a day",
            "people disagree on owner",
            "i06",
        ):
            assert part in text.replace("\\_", "_").replace("\\[", "[").replace("\\]", "]")


def test_the_next_mode_and_what_is_missing_for_it_are_named() -> None:
    found = card()
    line = next(row for row in pages.cell_table(cells(found)) if row[0] == "gpu.fell_off_bus:cordon_node")
    assert line[-2:] == ("shadow", "5 incidents with a known outcome, 30 are needed and 3 more")
    assert cells(found, Mode.AUTO)[0].next_mode is None


def test_the_page_has_pictures_and_loads_nothing() -> None:
    found = card()
    page = Page(pages.html(found, cells(found), "Week 10", mode_marks()))
    assert [tag for tag, _ in page.tags].count("svg") == 2
    assert not {name for _, attrs in page.tags for name in attrs} & {"src", "style", "onload"}
    assert page.open == []


def test_a_slack_message_is_at_most_twelve_lines() -> None:
    found = card()
    many = found.model_copy(
        update={"cells": tuple(row.model_copy(update={"harm": ("x",) * 9}) for row in found.cells)}
    )
    text = pages.slack(many, cells(many), "Week 10")
    assert len(text.splitlines()) == pages.SLACK_LINES
    assert text.splitlines()[0] == "*Week 10*"
    assert text.splitlines()[-1].startswith("and ")


def test_a_cell_that_the_gate_always_stopped_says_so() -> None:
    (first, *_) = cells(card())
    row = first.row.model_copy(update={"scored": 0, "successes": 0, "stopped_by_gate": 117})
    (line,) = pages.cell_table([replace(first, row=row)])[1:]
    assert line[-1].startswith("the gate stopped every one (117)")


def draft() -> postmortem.Postmortem:
    undone = HumanAction(
        at=AT,
        actor="ann",
        action="cordon_node",
        target=Thing(kind="node", name="node-03"),
        source="audit",
        undone_at=AT,
    )
    event = AuditEvent(
        seq=7,
        correlation_id="c",
        causation_id=None,
        at="2026-04-01T03:20:00Z",
        actor="bob",
        kind="approval.granted",
        key="k",
        subject="i1",
        why="the cable is out",
        payload="{}",
        digest="",
        prev_digest="",
    )
    label = Label(incident="i1", field=About.OUTCOME, value="it helped", author="ann", source="ticket", at=AT)
    incident = PastIncident(id="i1", alert_at=AT, actions=(undone,), resolution="cable reseated")
    return postmortem.Postmortem(
        report=samples.crowded(), incident=incident, labels=(label,), events=(event,)
    )


def test_every_change_and_action_has_its_four_ws() -> None:
    text = postmortem.markdown(draft()).replace("\\_", "_")
    assert "| dc-ops | cable swap in rack r3 | 2026-04-01T03:12Z | CHG-1182 | blamed change |" in text
    assert "| ann | cordon_node on node node-03, taken back 2026-04-01 03:12:00 UTC |" in text
    assert "| bob | approval.granted i1 | 2026-04-01T03:20:00Z | the cable is out | audit 7 |" in text
    assert "Resolution: cable reseated" in text
    assert "raw/dmesg-node-03.log:17" in text
    assert "| ann | outcome | it helped |" in text


def test_what_became_of_each_recommendation() -> None:
    cordon = reports.recommendation("cordon_node", reports.entity("node", "node-03"))
    drain = reports.recommendation("drain_node", reports.entity("node", "node-03"))
    reset = reports.recommendation("gpu_reset", reports.entity("gpu", "0000:91:00"))
    advice = reports.recommendation("open_vendor_ticket")
    told = replace(
        draft(),
        report=reports.report(recommendations=[cordon, drain, reset, advice]),
        carried_out={("gpu_reset", "0000:91:00"): "firstfault, 03:00: done"},
    )
    (rows,) = (each.table for each in postmortem.sections(told) if each.heading.startswith("Recommended"))

    assert [row[-1] for row in rows[1:]] == [
        "ann did it, 2026-04-01 03:12:00 UTC",
        "nobody did it",
        "firstfault, 03:00: done",
        "–",
    ]


def test_what_only_people_know_is_left_to_them() -> None:
    text = postmortem.markdown(draft())
    assert text.count("to be written by people") == 2


def test_hostile_text_stays_text_in_markdown_and_html() -> None:
    hostile = postmortem.Postmortem(report=samples.hostile(), incident=PastIncident(id="i1", actions=()))
    text = postmortem.markdown(hostile)
    assert "<script>" not in text
    assert "[link=" not in text.replace("\\[", "")
    page = Page(postmortem.html(hostile))
    assert "script" not in {tag for tag, _ in page.tags}
    assert "<script>alert(1)</script>" in "".join(page.words)
