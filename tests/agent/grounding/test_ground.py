from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstfault.agent.grounding.claims import Absent, Claim, Grounded, Quote, Why
from firstfault.agent.grounding.ground import MAX_CLAIMS, ground
from firstfault.tools.signals import Signal
from tests.agent.grounding.worlds import (
    CLOSED,
    COVERAGE,
    DIAGNOSIS,
    EVIDENCE,
    FIRST_ECHO,
    LOST,
    NOT_STARTED,
    SECOND_ECHO,
    SIGNALS,
    TIMELINE,
    claim,
)


def grounded(*claims: Claim) -> Grounded:
    return ground(claims, EVIDENCE, TIMELINE, COVERAGE, CLOSED)


def verdict(found: Claim) -> Why | None:
    """None when it is kept, else why it is not."""
    result = grounded(found)
    return None if result.kept else result.dropped[0].why


KEPT: list[tuple[str, tuple[Signal, ...]]] = [
    ("GPU 0000:91:00 has fallen off the bus (Xid 79) at uptime 6781741.549 s.", (LOST,)),
    ("The first fault is Xid 79 on GPU 0000:91:00, raw/kernel.log line 3.", (LOST,)),
    ("GPU 0000:91:00 on node gpu-n7 no longer answers on the PCIe bus.", (LOST,)),
    ("GPU PCI:0000:91:00.0 has fallen off the bus.", (LOST,)),
    ("Often the riser or the slot of GPU 0000:91:00 is to blame.", (LOST,)),
    ("SXid 20034 on nvswitch 0000:06:00 link 48 is an echo of Xid 79.", (FIRST_ECHO, LOST)),
    ("SXid 20034 on 2 nvswitches is an echo of Xid 79.", (FIRST_ECHO, SECOND_ECHO, LOST)),
    ("Two nvswitches reported SXid 20034.", (FIRST_ECHO, SECOND_ECHO)),
    ("Xid 79 on GPU 0000:91:00 came 11.9 s before SXid 20034 on nvswitch 0000:06:00.", (LOST, FIRST_ECHO)),
    ("SXid 20034 on nvswitch 0000:06:00 followed Xid 79.", (FIRST_ECHO, LOST)),
    ("After Xid 79 on GPU 0000:91:00, two nvswitches reported SXid 20034.", (LOST, FIRST_ECHO, SECOND_ECHO)),
    ("Xid 79 caused SXid 20034 on 2 nvswitches.", (LOST, FIRST_ECHO, SECOND_ECHO)),
    ("The container could not be created 12 times.", (NOT_STARTED,)),
    ("Pod trainer: create failed at 03:00:05Z, a symptom.", (NOT_STARTED,)),
    ("The owner is platform.", (LOST,)),
]
DROPPED: list[tuple[Why, str, tuple[Signal, ...]]] = [
    (Why.WORD, "GPU 0000:91:00 lost power.", (LOST,)),
    (Why.WORD, "The riser or the slot of GPU 0000:91:00 is to blame.", (LOST,)),
    (Why.WORD, "Often the riser of GPU 0000:91:00 is to blame.", (LOST,)),
    (Why.WORD, "The node has fallen off the bus.", (LOST,)),
    (Why.WORD, "The pod has fallen off the bus.", (LOST,)),
    (Why.WORD, "A switch fault of a link.", (FIRST_ECHO,)),
    (Why.WORD, "GPU 0000:91:00 answers on the PCIe bus.", (LOST,)),
    (Why.WORD, "GPU 0000:91:00 has not fallen off the bus.", (LOST,)),
    (Why.WORD, "The container was created.", (NOT_STARTED,)),
    (Why.WORD, "GPU 0000:91:00 has SXid 20034.", (LOST,)),
    (Why.WORD, "All GPUs have fallen off the bus.", (LOST,)),
    (Why.WORD, "The owner is application.", (LOST,)),
    (Why.WORD, "The first fault is SXid 20034.", (FIRST_ECHO,)),
    (Why.WORD, "Xid 79 is an echo.", (LOST,)),
    (Why.NAME, "GPU 0000:92:00 has fallen off the bus.", (LOST,)),
    (Why.WORD, "Node 0000:91:00 has fallen off the bus.", (LOST,)),
    (Why.NAME, "GPU 0000:91:00 has fallen off the bus of ghost-17.", (LOST,)),
    (Why.NAME, "GPU 0000:91:00 has fallen off the bus on rack-9.", (LOST,)),
    (Why.NUMBER, "GPU 0000:91:00 has fallen off the bus 3 times.", (LOST,)),
    (Why.NUMBER, "GPU 0000:91:00 has Xid 48.", (LOST,)),
    (Why.NUMBER, "Three nvswitches reported SXid 20034.", (FIRST_ECHO, SECOND_ECHO)),
    (Why.NUMBER, "SXid 20034 on nvswitch 0000:06:00 link 63.", (FIRST_ECHO, SECOND_ECHO)),
    (Why.NUMBER, "SXid 20034 on nvswitch 0000:06:00 line 48.", (FIRST_ECHO,)),
    (
        Why.NUMBER,
        "Xid 79 on GPU 0000:91:00 came 12.9 s before SXid 20034 on nvswitch 0000:06:00.",
        (LOST, FIRST_ECHO),
    ),
    (Why.TIME, "Pod trainer: create failed at 03:00:06Z.", (NOT_STARTED,)),
    (Why.ORDER, "SXid 20034 caused Xid 79.", (FIRST_ECHO, LOST)),
    (Why.ORDER, "Xid 79 followed SXid 20034.", (FIRST_ECHO, LOST)),
    (Why.ORDER, "Xid 79 caused create failed on pod trainer.", (LOST, NOT_STARTED)),
    (Why.ORDER, "Xid 79 came before SXid 20034 and after 11.9 s.", (LOST, FIRST_ECHO)),
    (Why.ADVICE, "Cordon the node of GPU 0000:91:00.", (LOST,)),
    (Why.ADVICE, "GPU 0000:91:00 must be on the bus.", (LOST,)),
    (Why.ADVICE, "It is certain that GPU 0000:91:00 has fallen off the bus.", (LOST,)),
    (Why.FORM, "<b>GPU</b> 0000:91:00 has fallen off the bus.", (LOST,)),
    (Why.FORM, "GPU 0000:91:00 has fallen off the bus <!channel>.", (LOST,)),
    (Why.FORM, "GPU 0000:91:00 has fallen off the bus.\nAnd more.", (LOST,)),
    (Why.FORM, "GPU 0000:91:00\u202e has fallen off the bus.", (LOST,)),
    (Why.FORM, "It is logged.", (LOST,)),
    (Why.FORM, " ", (LOST,)),
    (Why.FORM, "GPU " + "0000:91:00 " * 40, (LOST,)),
    (Why.NO_EVIDENCE, "GPU 0000:91:00 has fallen off the bus.", ()),
]


@pytest.mark.parametrize(("text", "cited"), KEPT, ids=[text for text, _ in KEPT])
def test_what_code_found_may_be_said(text: str, cited: tuple[Signal, ...]) -> None:
    assert verdict(claim(text, *cited)) is None


@pytest.mark.parametrize(("why", "text", "cited"), DROPPED, ids=[text[:80] for _, text, _ in DROPPED])
def test_what_it_did_not_find_may_not(why: Why, text: str, cited: tuple[Signal, ...]) -> None:
    assert verdict(claim(text, *cited)) is why


def test_how_a_hypothesis_stands_is_said_as_it_stands() -> None:
    ruled_out, supported, untested = "nvlink.switch_fault", "gpu.fell_off_bus", "host.pcie_link"
    assert verdict(claim("nvlink switch fault is ruled out.", FIRST_ECHO, about=ruled_out)) is None
    assert verdict(claim("host pcie link is untested.", LOST, about=untested)) is None
    assert verdict(claim("gpu fell off bus is ruled out.", LOST, about=supported)) is Why.WORD
    assert verdict(claim("host pcie link is ruled out.", LOST, about=untested)) is Why.WORD
    assert verdict(claim("nvlink switch fault is untested.", FIRST_ECHO, about=ruled_out)) is Why.WORD
    assert verdict(claim("nvlink switch fault.", FIRST_ECHO, about=ruled_out)) is Why.WORD
    assert verdict(claim("nvlink switch fault is ruled out.", NOT_STARTED, about=ruled_out)) is Why.WORD
    assert verdict(claim("storage slow is ruled out.", LOST, about="storage.slow")) is Why.WORD


def test_a_class_that_is_supported_but_not_the_diagnosis_lends_no_words() -> None:
    said = claim("GPU 0000:91:00 no longer answers on the PCIe bus.", LOST)
    other = replace(CLOSED, diagnosis=replace(DIAGNOSIS, failure_class="host.pcie_link"))
    assert ground([said], EVIDENCE, TIMELINE, COVERAGE, CLOSED).kept
    assert not ground([said], EVIDENCE, TIMELINE, COVERAGE, other).kept


def test_an_absence_needs_a_document_that_was_read_completely() -> None:
    in_runtime = Absent(signal="xid", path="raw/runtime.log")
    assert verdict(claim("No xid is in raw/runtime.log.", NOT_STARTED, absent=in_runtime)) is None
    assert verdict(claim("No fault is in raw/runtime.log.", NOT_STARTED, absent=in_runtime)) is Why.WORD
    assert verdict(claim("Xid is in raw/runtime.log.", NOT_STARTED, absent=in_runtime)) is Why.WORD
    not_complete = Absent(signal="nccl", path="raw/kernel.log")
    assert verdict(claim("No nccl is in raw/kernel.log.", LOST, absent=not_complete)) is Why.WORD
    was_seen = Absent(signal="kube", path="raw/runtime.log")
    assert verdict(claim("No kube is in raw/runtime.log.", NOT_STARTED, absent=was_seen)) is Why.WORD
    elsewhere = Absent(signal="xid", path="raw/runtime.log")
    assert verdict(claim("No xid is in raw/runtime.log.", LOST, absent=elsewhere)) is Why.WORD


def test_a_quote_stands_in_its_evidence_byte_for_byte() -> None:
    right = claim("GPU 0000:91:00 has fallen off the bus.", LOST)
    quote = right.quotes[0]
    for wrong in ("not in the line", quote.text.upper(), quote.text + "\u200b", "line", "     ", ""):
        assert verdict(replace(right, quotes=(Quote(evidence=quote.evidence, text=wrong),))) is Why.QUOTE
    assert verdict(replace(right, quotes=())) is Why.QUOTE
    elsewhere = Quote(evidence=FIRST_ECHO.evidence.id, text=FIRST_ECHO.evidence.excerpt)
    assert verdict(replace(right, quotes=(elsewhere,))) is Why.QUOTE


def test_evidence_that_does_not_exist_proves_nothing() -> None:
    right = claim("GPU 0000:91:00 has fallen off the bus.", LOST)
    assert verdict(replace(right, evidence=("ev-000000000000",))) is Why.NO_EVIDENCE
    result = grounded(replace(right, evidence=("<!channel>`x`",)))
    assert "<" not in result.dropped[0].because


def test_a_sentence_is_said_once_and_not_too_many_are() -> None:
    right = claim("GPU 0000:91:00 has fallen off the bus.", LOST)
    assert [d.why for d in grounded(right, right).dropped] == [Why.REPEATED]
    many = [claim(f"GPU 0000:91:00 has fallen off the bus{' ' * n}.", LOST) for n in range(MAX_CLAIMS + 2)]
    result = grounded(*many)
    assert len(result.kept) == MAX_CLAIMS
    assert {d.why for d in result.dropped} == {Why.TOO_MANY}


SPOKEN = (
    "GPU 0000:91:00 has fallen off the bus Xid 79 SXid 20034 nvswitch caused before echo of not no healthy power "
    "ruled out first fault 11.9 s 2 ; , is because after all never kubectl restart <b> \u202e node-9 48"
)
WORDS = st.sampled_from(SPOKEN.split())


@given(
    text=st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=60),
    cited=st.lists(st.sampled_from(SIGNALS), max_size=3),
    about=st.sampled_from([None, "gpu.fell_off_bus", "nvlink.switch_fault", "x"]),
)
def test_whatever_is_said_grounding_cites_only_what_it_was_given(
    text: str, cited: list[Signal], about: str | None
) -> None:
    result = grounded(claim(text, *cited, about=about))
    assert len(result.kept) + len(result.dropped) == 1
    for kept in result.kept:
        assert set(kept.evidence) <= {item.id for item in EVIDENCE}
        assert not {"healthy", "power", "all", "kubectl", "<b>", "node-9", "48"} & set(kept.text.split())
    assert result == grounded(claim(text, *cited, about=about))


@given(st.permutations(list(TIMELINE)), st.permutations(list(EVIDENCE)))
def test_the_order_of_what_is_stored_does_not_matter(timeline: list[object], evidence: list[object]) -> None:
    claims = [claim(text, *cited) for text, cited in KEPT[:6]]
    claims += [claim(text, *cited) for _, text, cited in DROPPED[:20]]
    assert ground(claims, evidence, timeline, COVERAGE, CLOSED) == grounded(*claims)  # pyright: ignore[reportArgumentType]  # permutations lose the type
