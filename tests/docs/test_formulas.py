"""Every formula of docs/methods.md has a number, code that computes it, and a test by name."""

import pkgutil
import re
from pathlib import Path

HERE = Path(__file__).parents[2]
FORMULAS = re.findall(
    r"\((\d+)\) `[^`]+` in\s`([\w.]+)`", (HERE / "docs/methods.md").read_text("utf-8")
)
TESTS = {
    1: "protocols/hype/test_staircase.py::test_presets_settle_where_the_documents_say",
    2: "session/test_frames.py::test_nearest_whole_number_of_frames",
    3: "protocols/hype/test_quest_plus.py::test_each_exposure_is_the_one_of_least_expected_entropy",
    4: "protocols/hype/test_quest_plus.py::test_each_exposure_is_the_one_of_least_expected_entropy",
    5: "protocols/hype/test_quest_plus.py::test_each_exposure_is_the_one_of_least_expected_entropy",
    6: "protocols/hype/test_signal_detection.py::test_published_example",
    7: "masks/test_whitening.py::test_the_inverse_is_that_of_the_damped_matrix",
    8: "statistics/test_crossed.py::test_people_of_one_condition_each_make_welchs_test",
    9: "statistics/test_crossed.py::test_the_fewer_count_by_their_share_among_degrees_of_freedom",
    10: "statistics/test_proportions.py::test_a_share_of_clusters_is_tested_by_students_t",
    11: "statistics/test_level_alpha.py"
    "::test_an_interval_lies_within_minus_1_and_1_and_has_a_width",
    12: "protocols/hype/test_inference.py::test_images_move_modes_as_far_as_answers_do",
    13: "statistics/test_medians.py::test_the_interval_of_a_median_is_that_of_the_tables",
    14: "statistics/test_level_alpha.py::test_as_krippendorff_has_it",
    15: "statistics/test_distributions.py::test_frechet_distance_as_torch_fidelity_computes_it",
    16: "statistics/test_cells.py::test_a_total_is_the_weighted_sum_and_takes_all_groups",
    17: "statistics/test_strengths.py::test_win_probabilities",
    18: "statistics/test_crossed_strengths.py::test_the_three_scales_say_the_same",
    19: "statistics/test_davidson_ties.py::test_the_likelihood_and_its_derivatives",
    20: "statistics/test_crossed_strengths.py::test_a_margin_of_win_rates_is_one_of_strengths",
    21: "protocols/comparison/test_comparisons_needed.py::test_the_worked_examples",
    22: "statistics/test_separation.py::test_looks_spend_the_error_in_proportion_to_people",
    23: "protocols/ranking/test_rankings_expanded.py::test_a_tie_is_a_tie",
    24: "statistics/test_plackett_luce.py::test_strengths_are_those_of_choix",
    25: "statistics/test_cohen_kappa.py::test_worked_examples",
    26: "protocols/hype/test_observer.py::test_halfway_between_chance_and_ceiling_at_the_threshold",
}


def test_formulas_are_numbered_in_order():
    assert [int(number) for number, _ in FORMULAS] == sorted(TESTS)


def test_the_code_that_is_named_exists():
    for _, name in FORMULAS:
        assert pkgutil.resolve_name(f"hype.{name}")


def test_the_tests_that_are_named_exist():
    for place in TESTS.values():
        path, name = place.split("::")
        assert f"\ndef {name}(" in (HERE / "tests" / path).read_text("utf-8"), place
