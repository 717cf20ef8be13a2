"""Every reason of every policy, as people read it, with no, one, two and many of what it counts.

The page is written again by `python -m tests.policies.test_reasons`.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from firstfault.policies.reasons import filled, holes
from firstfault.policies.words import FACT_WORDS, said
from tests.policies.worlds import limits, policies

GOLDEN = Path(__file__).with_name("reasons.txt")
NAMES: dict[str, Any] = {
    "action": "drain_node",
    "failure_class": "gpu.firmware_hang",
    "verdict": "LIKELY",
    "target_name": "gpu-00003",
    "target_kind": "pod",
    "shared_cause_by": "switch leaf0: 3 of 16",
    "node_identity": "gpu-00004",
    "node_role": "control_plane",
    "lease_holder": "medik8s",
    "job_controller": "RayJob",
    "open_breakers": ["cluster", "rack/r1"],
    "missing": said("pdbs_without_room"),
    "stale": said("fleet"),
}
COUNTS = (0, 1, 2, 1_000_000)
_ONE_OF_MANY = re.compile(
    r"(?<![\d.])1 (?:\w+ )?(?:nodes|families|pods|budgets|actions|approvals|reboots|repairs|restarts)\b"
)
_MANY_OF_ONE = re.compile(
    r"(?<![\d.])(?:0|2|1000000) (?:\w+ )?(?:node|family|pod|budget|action|approval|reboot|repair|restart)\b"
)


def context(count: int, template: str) -> dict[str, Any]:
    """Return what the template asks for: names as they are, limits as they are, `count` of everything that is counted."""
    found: dict[str, Any] = {}
    for path in holes(template):
        part, _, name = path.rpartition(".")
        value = NAMES.get(name, limits().values.get(name, count))
        if part:
            found.setdefault(part, {})[name] = value
        else:
            found[name] = value
    return found


def rendered(count: int) -> dict[str, str]:
    return {
        policy.id: filled(policy.reason, context(count, policy.reason)) for policy in policies().book.policies
    }


def page() -> str:
    """Return all reasons; one line where they do not depend on a count."""
    lines: list[str] = []
    for name in sorted(rendered(0)):
        found = dict.fromkeys(rendered(count)[name] for count in COUNTS)
        lines += [name, *(f"    {line}" for line in found), ""]
    return "\n".join(lines)


def test_the_reasons_are_as_they_were_read_last() -> None:
    assert page() == GOLDEN.read_text("utf-8")


@pytest.mark.parametrize("count", COUNTS)
def test_a_reason_is_a_line_of_good_english(count: int) -> None:
    for name, line in rendered(count).items():
        assert line[0].islower() or line[0].isdigit(), name
        assert not line.endswith("."), name
        assert "{" not in line, name
        assert "|" not in line, name
        assert "  " not in line, name
        assert len(line) <= 200, name
        assert not _ONE_OF_MANY.search(line), line
        assert not _MANY_OF_ONE.search(line), line


@pytest.mark.parametrize("word", sorted(FACT_WORDS))
def test_every_missing_or_stale_fact_is_said_in_words(word: str) -> None:
    for policy in policies().book.policies:
        if policy.id in {"facts.missing", "facts.stale"}:
            key = policy.id.partition(".")[2]
            line = filled(policy.reason, {key: said(word)})
            assert "_" not in line
            assert line[0].islower()


@pytest.mark.parametrize(
    "value", [None, "", "x" * 500, "a\nb\x1b[31m", -1, True, [], ["a"] * 200, {"a": 1}, "{facts.x}"]
)
def test_whatever_stands_in_a_hole_the_reason_is_one_short_line(value: object) -> None:
    for policy in policies().book.policies:
        given: dict[str, Any] = {}
        for path in holes(policy.reason):
            part, _, name = path.rpartition(".")
            (given.setdefault(part, {}) if part else given)[name] = value
        line = filled(policy.reason, given)
        assert line.isprintable()
        assert 0 < len(line) <= 300


def test_a_word_goes_with_its_number() -> None:
    assert [filled("{n} {n|node|nodes}", {"n": n}) for n in (0, 1, 2)] == ["0 nodes", "1 node", "2 nodes"]
    assert filled("{n|node|nodes}", {}) == "nodes"
    assert holes("{n} {facts.m|a|b}") == ("n", "facts.m")


if __name__ == "__main__":
    GOLDEN.write_text(page(), "utf-8")
