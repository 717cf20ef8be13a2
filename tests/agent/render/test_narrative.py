from firstfault.agent.grounding.claims import Claim
from firstfault.agent.grounding.summary import summary_of
from firstfault.agent.render.narrative import Sentence, headline, sentences

CLAIMS = (
    Claim(text="xid 79 on gpu 0000:91:00 is the first fault.", evidence=("ev-0123456789ab",)),
    Claim(text="SXid 20034 is an echo of Xid 79", evidence=("ev-0123456789ab", "ev-ba9876543210")),
)


def test_what_was_put_together_comes_apart_again() -> None:
    summary = summary_of("One GPU is gone. The rest follows.", CLAIMS)
    assert headline(summary) == "One GPU is gone. The rest follows."
    assert sentences(summary) == (
        Sentence(text="Xid 79 on gpu 0000:91:00 is the first fault.", evidence=("ev-0123456789ab",)),
        Sentence(text="SXid 20034 is an echo of Xid 79.", evidence=("ev-0123456789ab", "ev-ba9876543210")),
    )


def test_without_a_model_there_is_only_the_headline() -> None:
    assert summary_of("One GPU is gone.", ()) == "One GPU is gone."
    assert headline("One GPU is gone.") == "One GPU is gone."
    assert sentences("One GPU is gone.") == ()
