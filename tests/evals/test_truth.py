"""Reading truths: the variants that records have, and the errors that name the remedy."""

from pathlib import Path

import pytest

from firstfault.evals.truth import Forbidden, TruthError, read_truth

MINIMAL = """\
failure_class: gpu.thermal
layer: gpu
owner: platform
verdict: name_cause
certainty: plausible
"""


def written(folder: Path, text: str) -> Path:
    """Return `folder` with a truth in it."""
    (folder / "truth.yaml").write_text(text, encoding="utf-8")
    return folder


def test_a_minimal_truth_leaves_the_rest_open(tmp_path: Path) -> None:
    truth = read_truth(written(tmp_path, MINIMAL))
    assert (truth.culprit, truth.first_fault, truth.actions.expected) == (None, None, ())
    assert truth.accepted == {"gpu.thermal"}


def test_nulls_and_unknown_fields_are_tolerated(tmp_path: Path) -> None:
    text = MINIMAL + (
        "acceptable_classes: null\ncaused_by_change: unknown\nmechanism: fans\nextra: {deep: 1}\n"
        "culprit: {kind: gpu, name: GPU 0, node: n1, others: [GPU 1]}\n"
        "first_fault: {path: raw/a.log, line: 2, at: null}\nactions: {expected: null}\n"
    )
    truth = read_truth(written(tmp_path, text))
    assert truth.caused_by_change == "unknown"
    assert (truth.culprit and truth.culprit.node, truth.acceptable_classes) == ("n1", ())


def test_prohibitions_are_split_into_action_and_qualifier(tmp_path: Path) -> None:
    text = (
        MINIMAL
        + "actions:\n  expected: ['fix_configuration: memlock']\n  must_not: [node_replace, 'cordon_node: all: now']\n"
    )
    actions = read_truth(written(tmp_path, text)).actions
    assert actions.expected == ("fix_configuration",)
    assert actions.must_not == (
        Forbidden(action="node_replace"),
        Forbidden(action="cordon_node", qualifier="all: now"),
    )


@pytest.mark.parametrize(
    ("certainty", "failure_class", "is_certain", "is_no_fault"),
    [("confirmed", "none.healthy", True, True), ("undetermined", "gpu.thermal", False, False)],
)
def test_certainty_and_no_fault(
    tmp_path: Path,
    certainty: str,
    failure_class: str,
    is_certain: bool,
    is_no_fault: bool,
) -> None:
    text = MINIMAL.replace("plausible", certainty).replace("gpu.thermal", failure_class)
    truth = read_truth(written(tmp_path, text))
    assert (truth.is_certain, truth.is_no_fault) == (is_certain, is_no_fault)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a: [", "is not YAML"),
        (MINIMAL.replace("name_cause", "guess"), "field `verdict`"),
        ("[]", "field ``"),
    ],
)
def test_an_unusable_truth_names_file_and_field(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(TruthError, match="truth") as caught:
        read_truth(written(tmp_path, text))
    assert part in str(caught.value)


def test_a_missing_truth_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TruthError, match="cannot read"):
        read_truth(tmp_path)
