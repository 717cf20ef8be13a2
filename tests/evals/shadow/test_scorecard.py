"""The scorecard of twelve incidents against sums made by hand."""

from firstfault.evals.shadow.rows import CellRow, Count
from firstfault.evals.shadow.scorecard import ShadowScorecard, make_scorecard
from firstfault.evals.shadow.scores import Diagnosed
from tests.evals.shadow.twelve import OFFSET_S, twelve_scores


def card() -> ShadowScorecard:
    return make_scorecard(twelve_scores(), score_offset_s=OFFSET_S)


def cell(name: str) -> CellRow:
    found = card().cell(name)
    assert found is not None
    return found


def counted(*pair: int) -> Count:
    return Count(hits=pair[0], total=pair[1])


def test_every_kind_of_diagnosis_is_counted_once() -> None:
    row = card().offsets[0]
    assert row.incidents == 12
    assert row.diagnosed == {
        Diagnosed.HIT: 6,
        Diagnosed.LAYER_ONLY: 1,
        Diagnosed.ABSTAINED: 1,
        Diagnosed.MISS: 3,
        Diagnosed.UNKNOWN: 1,
    }


def test_shares_leave_the_unknown_out() -> None:
    row = card().offsets[0]
    assert row.right == counted(6, 11)
    assert row.action == counted(7, 10)
    assert row.first_fault == counted(1, 1)
    assert row.culprit == counted(1, 1)
    assert row.owner == counted(1, 2)


def test_lead_time_is_human_action_less_recommendation() -> None:
    leads = [score.lead_s for score in twelve_scores()]
    assert leads == [898.0, 2698.0, 898.0, None, None, 898.0, None, None, 898.0, None, None, None]
    assert card().offsets[0].lead_median_s == 898.0


def test_the_main_cell_adds_up() -> None:
    row = cell("gpu.fell_off_bus:cordon_node")
    assert (row.scored, row.successes, row.unknown, row.stopped_by_gate) == (5, 3, 1, 1)
    assert [entry.partition(":")[0] for entry in row.harm] == ["i05", "i09"]
    assert row.days == 9.0
    # Wilson, 3 of 5: (0.6 + 0.38415 - 1.95996 * sqrt(0.048 + 0.038415)) / 1.76829
    assert row.low == 0.2307


def test_the_other_cells_add_up() -> None:
    assert [row.name for row in card().cells] == [
        "gpu.fell_off_bus:cordon_node",
        "gpu.fell_off_bus:drain_node",
        "gpu.thermal:cordon_node",
    ]
    drain, thermal = cell("gpu.fell_off_bus:drain_node"), cell("gpu.thermal:cordon_node")
    assert (drain.scored, drain.successes, drain.days) == (1, 1, 0.0)
    assert (thermal.scored, thermal.successes, thermal.harm) == (1, 0, ())


def test_verdict_words_are_counted_where_the_cause_is_known() -> None:
    assert card().verdicts == {
        "CONFIRMED": counted(1, 2),
        "INCONCLUSIVE": counted(1, 2),
        "LIKELY": counted(3, 5),
        "MISSING": counted(0, 1),
        "NO_FAULT": counted(1, 1),
    }
    assert card().false_confirmed == ("i05",)


def test_quiet_days_and_false_faults_are_on_it() -> None:
    found = card()
    assert (found.quiet, found.false_faults, found.days) == (2, 1, 11.0)
    assert round(found.false_faults_per_day, 4) == 0.0909
    assert found.unknown == ("i06",)
    assert found.missing == ("i12: nothing usable",)
    assert found.undone == 1


def test_what_failed_again_within_a_week_is_listed() -> None:
    again = [entry.partition(",")[2].strip() for entry in card().came_back]
    # East has the lost GPU on days 0, 4 and 8; west on days 1, 5, 7 and 9.
    assert again == [
        "4.0 days after i01",
        "4.0 days after i02",
        "2.0 days after i06",
        "4.0 days after i05",
        "2.0 days after i08",
    ]


def test_clusters_and_weeks_are_groups_of_the_same_incidents() -> None:
    found = card()
    assert [(row.name, row.incidents, row.harm) for row in found.clusters] == [("east", 6, 2), ("west", 6, 0)]
    assert [(row.name, row.incidents) for row in found.weeks] == [("2026-W10", 7), ("2026-W11", 5)]
    assert [row.right for row in found.weeks] == [counted(3, 6), counted(3, 5)]


def test_a_second_score_of_the_same_thing_changes_nothing() -> None:
    scores = twelve_scores()
    again = make_scorecard([*scores, scores[0], scores[4]], score_offset_s=OFFSET_S)
    assert again == card()
    assert again.digest == card().digest


def test_the_order_of_scores_does_not_matter() -> None:
    assert make_scorecard(twelve_scores()[::-1], score_offset_s=OFFSET_S).digest == card().digest


def test_the_digest_depends_on_every_number() -> None:
    assert make_scorecard(twelve_scores()[:11], score_offset_s=OFFSET_S).digest != card().digest
