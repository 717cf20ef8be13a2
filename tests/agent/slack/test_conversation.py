"""Questions, commands and buttons: heard once, answered where they were asked, with what that channel may know."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest

from firstfault.agent.feedback.labels import About, labels_of
from firstfault.agent.report.contract import Report
from firstfault.agent.slack.blocks.names import COMMAND, SHORTCUT, Click
from firstfault.agent.slack.work.inquiry import Inquiry
from firstfault.tools.sources import Question
from firstfault.tools.times import Window
from tests.agent.slack.kit import INCIDENT, Stage, in_shadow, report, stage
from tests.slackworld.world import has_button

LINE = "[ 100.1] NVRM: Xid (PCI:0000:3b:00): 48, pid=1, DBE"


@pytest.fixture(name="stage")
def stage_fixture(tmp_path: Path) -> Generator[Stage]:
    with stage(tmp_path) as made:
        yield made


def texts(inquiry: Inquiry) -> dict[str, str]:
    documents = [
        document
        for source in inquiry.sources
        for document in source.read(Question(), Window(), None).documents
    ]
    return {document.path: document.text for document in documents}


def test_a_report_is_posted_with_its_details_and_picture_in_the_thread(stage: Stage) -> None:
    stage.reported()
    with stage.running():
        card = stage.card(says="LIKELY")
        stage.reply(stage.incidents, card["ts"], says="What would change my mind")
        stage.reply(stage.incidents, card["ts"], says=".png")
    assert stage.world.posts_of_app(stage.other) == []
    assert stage.world.posts_of_app(stage.shadow) == []


def test_in_shadow_the_shadow_channel_hears_of_it_and_nothing_can_be_approved(stage: Stage) -> None:
    stage.reported(in_shadow(INCIDENT))
    stage.asked()
    with stage.running():
        card = stage.card(stage.shadow, says="shadow mode")
        stage.reply(stage.shadow, card["ts"], says="Details")
    assert not has_button(card, Click.APPROVE)
    assert stage.world.posts_of_app(stage.incidents) == []


def test_a_question_in_the_thread_is_asked_of_the_incident_with_what_was_pasted(stage: Stage) -> None:
    stage.reported()
    stage.report_of = lambda inquiry: report(inquiry.incident.id, verdict="CONFIRMED")
    with stage.running():
        card = stage.card(says="LIKELY")
        stage.reply(stage.incidents, card["ts"], says="Details")
        stage.people["joan"].posts(stage.incidents, "we reseated it at 03:00", thread=card["ts"])
        asked = stage.people["ada"].mentions(
            stage.incidents, f"and this?\n```\n{LINE}\n```", thread=card["ts"]
        )
        answer = stage.reply(stage.incidents, card["ts"], says="Changed: was LIKELY")
        stage.card(says="CONFIRMED")
        stage.until(lambda: "eyes" in str(stage.incidents.messages[asked["ts"]].get("reactions")))
    (inquiry,) = stage.inquiries
    assert inquiry.incident.id == INCIDENT
    said = texts(inquiry)
    assert f"{LINE}\n" in said.values()
    assert any("reseated" in text for text in said.values())
    assert "and this?" in str(answer)
    assert (
        len([each for each in stage.world.posts_of_app(stage.incidents) if "Changed: was" in str(each)]) == 1
    )


def test_a_question_in_the_channel_opens_an_incident_and_progress_is_one_message(stage: Stage) -> None:
    with stage.running():
        asked = stage.people["ada"].mentions(stage.incidents, "what is wrong with node gpu-n7?")
        stage.reply(stage.incidents, asked["ts"], says="LIKELY")
        stage.reply(stage.incidents, asked["ts"], says="Details")
    (inquiry,) = stage.inquiries
    assert inquiry.incident.question == "what is wrong with node gpu-n7?"
    assert inquiry.nodes == ("gpu-n7",)
    cards = [each for each in stage.world.posts_of_app(stage.incidents) if has_button(each, Click.AGREE)]
    assert len(cards) == 1


def test_a_message_can_be_looked_into(stage: Stage) -> None:
    with stage.running():
        alert = stage.people["joan"].posts(stage.incidents, f"pager says:\n{LINE}")
        stage.people["ada"].uses_shortcut(SHORTCUT, stage.incidents, alert["ts"])
        stage.reply(stage.incidents, alert["ts"], says="LIKELY")
    assert LINE in str(texts(stage.inquiries[0]))


def test_an_event_that_slack_sends_again_is_heard_once(stage: Stage) -> None:
    with stage.running():
        asked = stage.people["ada"].mentions(stage.incidents, "why?")
        (delivery,) = [each for each in stage.world.postman.sent if each.kind == "events_api"]
        assert stage.world.postman.again(delivery).ack() is not None
        stage.reply(stage.incidents, asked["ts"], says="LIKELY")
    assert len(stage.inquiries) == 1


def test_what_was_asked_before_a_crash_is_answered_after_it(stage: Stage) -> None:
    stage.reported()
    with stage.running() as chat:
        card = stage.card(says="LIKELY")
        stage.reply(stage.incidents, card["ts"], says="Details")
        # The process is killed after it acknowledged: nothing of its memory is left, the request is.
        chat.worker = None
        stage.people["ada"].mentions(stage.incidents, "and now?", thread=card["ts"])
        stage.until(stage.store.requests.unaccepted)
    assert stage.inquiries == []
    with stage.running():
        stage.reply(stage.incidents, card["ts"], says="Unchanged")
    assert len(stage.inquiries) == 1


def test_a_question_that_fails_says_so_and_the_next_is_answered(stage: Stage) -> None:
    def made(inquiry: Inquiry) -> Report:
        if "first" in inquiry.incident.question:
            msg = "the API server does not answer"
            raise OSError(msg)
        return report(inquiry.incident.id)

    stage.report_of = made
    with stage.running():
        first = stage.people["ada"].mentions(stage.incidents, "first?")
        second = stage.people["ada"].mentions(stage.incidents, "second?")
        stage.reply(stage.incidents, first["ts"], says="the API server does not answer")
        stage.reply(stage.incidents, second["ts"], says="LIKELY")


def test_another_channel_never_hears_of_a_cluster_that_is_not_its_own(stage: Stage) -> None:
    stage.reported()
    with stage.running():
        stage.card(says="LIKELY")
        ada = stage.people["ada"]
        for words in (f"why {INCIDENT}", f"similar {INCIDENT}", "status", f"silence {INCIDENT} 2h"):
            ada.runs(COMMAND, words, stage.other)
        stage.until(lambda: len(ada.shown(stage.other)) >= 4)
        ada.mentions(stage.other, f"what about {INCIDENT}?")
        stage.until(lambda: "does not belong to this channel" in str(ada.shown(stage.other)))
    told = str(ada.shown(stage.other))
    assert "gpu.fell_off_bus" not in told
    assert "PCIe" not in told
    assert stage.inquiries == []


@pytest.mark.parametrize("strangers", ["polite", "silent"])
def test_strangers_get_one_sentence_or_nothing_and_no_data(tmp_path: Path, strangers: str) -> None:
    with stage(tmp_path, strangers=strangers) as made:
        nowhere = made.world.channel("random")
        guest = made.world.person("guest", made.incidents, team_id="T0OTHER0001")
        robot = made.world.person("robot", made.incidents, is_bot=True)
        joan = made.people["joan"]
        joan.joins(nowhere)
        made.reported()
        with made.running():
            card = made.card(says="LIKELY")
            before = len(made.world.posts_of_app(made.incidents))
            joan.mentions(nowhere, "why?")
            joan.posts(made.world.direct(joan), "hello")
            guest.mentions(made.incidents, "why?", thread=card["ts"])
            robot.mentions(made.incidents, "why?", thread=card["ts"])
            guest.clicks(made.incidents, card["ts"], Click.EVIDENCE)
            said = joan.runs(COMMAND, "status", nowhere).ack()
            heard = (joan.shown(nowhere), joan.shown(made.world.direct(joan)), guest.shown(made.incidents))
            if strangers == "polite":
                made.until(
                    lambda: (
                        joan.shown(nowhere)
                        and joan.shown(made.world.direct(joan))
                        and guest.shown(made.incidents)
                    )
                )
            made.until(lambda: all(each.done.done() for each in made.world.postman.sent))
        assert made.inquiries == []
        assert robot.shown(made.incidents) == []
        assert guest.modals() == []
        assert len(made.world.posts_of_app(made.incidents)) <= before + 2
        if strangers == "silent":
            assert (heard, said) == (([], [], []), {})
        assert "PCIe" not in str((joan.shown(nowhere), guest.shown(made.incidents)))


def test_agreeing_twice_is_one_label_and_the_message_says_who(stage: Stage) -> None:
    stage.reported()
    with stage.running():
        card = stage.card(says="LIKELY")
        for _ in range(2):
            stage.people["joan"].clicks(stage.incidents, card["ts"], Click.AGREE)
        stage.card(says="agreed")
    labels = [label for label in labels_of(stage.store, INCIDENT) if label.field is About.FAILURE_CLASS]
    assert [(label.author, label.value, label.source) for label in labels] == [
        ("joan", "gpu.fell_off_bus", "slack")
    ]


def test_what_it_really_was_becomes_a_label(stage: Stage) -> None:
    stage.reported()
    with stage.running():
        card = stage.card(says="LIKELY")
        joan = stage.people["joan"]
        joan.clicks(stage.incidents, card["ts"], Click.WRONG)
        joan.top_modal()
        joan.submits({"class": "gpu.power", "culprit": "node/gpu-n7", "comment": "token=hunter2secretvalue"})
        stage.card(says="says it was")
    labels = {label.field: label.value for label in labels_of(stage.store, INCIDENT)}
    assert labels == {About.FAILURE_CLASS: "gpu.power", About.CULPRIT: "node/gpu-n7"}


def test_a_silence_keeps_new_incidents_out_and_ends(stage: Stage) -> None:
    with stage.running() as chat:
        ada = stage.people["ada"]
        ada.runs(COMMAND, "silence GPUXid 2h known", stage.incidents)
        stage.until(lambda: "No new messages" in str(ada.shown(stage.incidents)))
        stage.reported()
        chat.publish(INCIDENT)
        stage.until(lambda: not chat.changed)
        assert stage.store.messages.of_incident(INCIDENT) == ()
        stage.clock.skip(timedelta(hours=3))
        chat.publish(INCIDENT)
        stage.card(says="LIKELY")


def test_running_again_on_one_report_is_done_once(stage: Stage) -> None:
    stage.reported()
    with stage.running():
        card = stage.card(says="LIKELY")
        for name in ("ada", "joan"):
            stage.people[name].clicks(stage.incidents, card["ts"], Click.RERUN)
        stage.reply(stage.incidents, card["ts"], says="Unchanged")
        stage.until(lambda: "already" in str(stage.whispers("joan")))
    assert len(stage.inquiries) == 1


def test_commands_answer_only_who_asked(stage: Stage) -> None:
    stage.reported()
    with stage.running():
        card = stage.card(says="LIKELY")
        stage.reply(stage.incidents, card["ts"], says=".png")
        before = len(stage.world.posts_of_app(stage.incidents))
        ada = stage.people["ada"]
        for words in ("status", "help", "score", f"similar {INCIDENT}", "why inc-unknown", "nonsense"):
            ada.runs(COMMAND, words, stage.incidents)
        stage.until(lambda: len(ada.shown(stage.incidents)) >= 6)
    told = str(ada.shown(stage.incidents))
    assert INCIDENT in told
    assert "3 of 4" in told
    assert "knows no incident" in told
    assert len(stage.world.posts_of_app(stage.incidents)) == before
