"""The paper's runs: the printed figures, the fit, and a simulation that reproduces the figures."""

import shutil
from itertools import combinations

import numpy as np
import pytest
from average import on_average
from chance import repeat, same_order
from expected import Figures, Untimed, expected, solve
from hypothesis import given, settings
from hypothesis import strategies as st
from implied import interval_of
from implied import tests_of as implied_tests
from outcomes import outcomes_of
from published import BEYOND, HERE, Run, read_runs, read_verdicts, study_names
from runs import average_observers, write_names
from staircases import BLOCKS, TRIALS, block_modes
from tables import table

from hype.protocols.hype.settings import InfinitySettings, PracticeSettings, TimeSettings
from hype.protocols.hype.staircase import PRESETS
from hype.protocols.load import load_study


def runs_of(study: str, method: str) -> list[Run]:
    return [run for run in read_runs() if (run.study, run.method) == (study, method)]


def test_the_design_is_the_papers():
    """Section 3: 930 evaluators in 31 runs of 30; 6 runs are HYPE_time, 25 HYPE_infinity."""
    runs = [run for run in read_runs() if run.study not in BEYOND]

    assert sum(run.method == "time" for run in runs) == 6
    assert sum(run.method == "infinity" for run in runs) == 25
    assert 30 * len(runs) == 930


@pytest.mark.parametrize(
    ("study", "method", "scores"),
    [
        ("ffhq-1024", "time", [(363.2, 32.1, 300.0, 424.3), (240.7, 29.9, 184.7, 302.7)]),
        ("ffhq-1024", "infinity", [(27.6, 2.4, 22.9, 32.4), (19.0, 1.8, 15.5, 22.4)]),
        (
            *("celeba-64", "infinity"),
            [
                *((50.7, 1.3, 48.2, 53.1), (40.3, 0.9, 38.5, 42.0)),
                *((10.0, 1.6, 7.2, 13.3), (3.8, 0.6, 3.2, 5.7)),
            ],
        ),
        (
            *("cifar-10", "infinity"),
            [
                *((23.3, 1.6, 20.1, 26.4), (14.8, 1.6, 11.9, 18.0)),
                *((14.5, 1.7, 11.3, 18.1), (13.2, 2.3, 9.1, 18.1)),
            ],
        ),
    ],
)
def test_figures_stand_as_printed(study, method, scores):
    found = [(r.score, r.std, r.ci_low, r.ci_high) for r in runs_of(study, method)]

    assert found == scores


def test_scores_are_the_means_of_errors_on_fakes_and_reals():
    """Each score is the mean of both errors, since there are as many fakes as real images."""
    for run in read_runs():
        if run.fakes_error is not None and run.reals_error is not None:
            assert (run.fakes_error + run.reals_error) / 2 == pytest.approx(run.score, abs=0.11)
        if run.ci_low is not None and run.ci_high is not None:
            assert run.ci_low < run.score < run.ci_high


def test_verdicts_are_on_conditions_that_there_are():
    for verdict in read_verdicts():
        names = {run.condition for run in runs_of(verdict.study, verdict.method)}
        assert {verdict.a, verdict.b} <= names | ({""} if verdict.test == "anova" else set())


def test_studies_have_the_papers_numbers_and_an_observer_for_each_run():
    for name in study_names():
        found = load_study(HERE / name).settings
        runs = [run for run in read_runs() if run.study == name]

        assert set(found.observers) == {run.condition for run in runs}
        assert set(found.study.methods) == {run.method for run in runs}
        assert found.study.evaluators == 30
        assert (found.time, found.infinity) == (TimeSettings(), InfinitySettings())
        assert found.practice == PracticeSettings()
        assert found.study.evaluator_does == "one-method"


def test_the_written_average_is_what_the_fit_gives():
    written = average_observers()
    for name in study_names():
        fitted = on_average([run for run in read_runs() if run.study == name], timed=False)
        for condition, observer in fitted.items():
            one = written[name][condition]
            assert one.ceiling == pytest.approx(observer.ceiling, abs=1e-4)
            assert one.bias == pytest.approx(observer.bias, abs=1e-3)
            assert one.ceiling_spread == pytest.approx(observer.ceiling_spread, abs=2e-3)


@settings(max_examples=20, deadline=None)
@given(fakes=st.floats(0.05, 0.4), reals=st.floats(0.05, 0.4), relative=st.floats(1.2, 2.0))
def test_fitted_observers_are_expected_to_give_what_they_were_fitted_to(fakes, reals, relative):
    by_chance = np.sqrt((fakes * (1 - fakes) + reals * (1 - reals)) / 200 * 29) / 30
    target = Figures(fakes_error=fakes, reals_error=reals, std=relative * by_chance)

    assert target.missed_by(expected(solve(target))) == pytest.approx([0, 0, 0], abs=0.01)


def test_landing_moved_no_observer_out_of_the_published_interval():
    """Each observer's expected score is in the paper's interval, in the study files too."""
    for run in read_runs():
        if run.method == "infinity":
            observer = load_study(HERE / run.study).settings.observers[run.condition]
            found = expected(
                Untimed(
                    ceiling=observer.ceiling,
                    bias=observer.bias,
                    ceiling_spread=observer.ceiling_spread or 0.0,
                )
            )
            low, high = interval_of(run, runs_of(run.study, run.method))
            assert low <= 50 * (found.fakes_error + found.reals_error) <= high, run


def test_many_staircases_at_once_are_the_programs_staircases():
    people, levels = 12, 91
    correct = np.random.default_rng(1).uniform(0.4, 1, (2, people, 1)) * np.ones(levels)
    modes_ms = block_modes(correct, np.random.default_rng(2))
    rng, rule = np.random.default_rng(2), PRESETS["hype"]
    truth = np.argsort(rng.random((people * BLOCKS, TRIALS)), axis=1) % 2
    luck = rng.random((people * BLOCKS, TRIALS))

    for block in range(people * BLOCKS):
        person, state, shown_ms = block // BLOCKS, rule.start(), []
        for trial in range(TRIALS):
            shown_ms.append(state.exposure_ms)
            right = luck[block, trial] < correct[truth[block, trial], person, 0]
            state = rule.step(state, bool(right))
        values, counts = np.unique(shown_ms, return_counts=True)
        mode_ms = values[counts == counts.max()].mean()
        assert modes_ms[person, block % BLOCKS] == pytest.approx(mode_ms)


@pytest.mark.parametrize(
    ("study", "f", "p"),
    [("imagenet-5/lemon", 4.2, 0.017), ("imagenet-5/library", 4.9, 0.009)],
)
def test_the_papers_anovas_follow_from_its_table(study, f, p):
    """There are 87 degrees of freedom within groups, not 29 as the paper prints."""
    found = implied_tests(runs_of(study, "infinity"))

    assert found.df == (2, 87)
    assert found.f == pytest.approx(f, abs=0.25)
    assert found.p == pytest.approx(p, abs=0.002)


def test_verdicts_that_are_counted_follow_from_the_table_and_the_others_do_not():
    for verdict in read_verdicts():
        found = implied_tests(runs_of(verdict.study, verdict.method))
        p = found.p if verdict.test == "anova" else found.pairs[verdict.a, verdict.b]
        assert ((p < 0.05) == verdict.separable) == verdict.follows, verdict


def test_repeated_studies_keep_nineteen_in_twenty_scores_within_their_intervals():
    repeats = repeat(runs_of("ffhq-1024", "infinity"))

    assert repeats.inside().mean() == pytest.approx(0.95, abs=0.02)
    assert repeats.same_order().mean() > 0.99


def test_models_that_bottomed_out_may_rank_either_way():
    runs = runs_of("celeba-64", "time")

    assert same_order(runs, [400.0, 300.0, 100.0, 101.0])
    assert not same_order(runs, [300.0, 400.0, 100.0, 100.0])
    assert not same_order(runs, [400.0, 100.0, 101.0, 100.0])


@pytest.mark.long
def test_simulated_scores_land_on_the_published_ones(tmp_path):
    """FFHQ, both methods: scores in the paper's intervals, separable, in its order; df = 58."""
    folder = tmp_path / "experiments"
    write_names(folder)
    (folder / "ffhq-1024").mkdir()
    shutil.copy(HERE / "ffhq-1024" / "study.toml", folder / "ffhq-1024")
    found = outcomes_of("ffhq-1024", first_seed=2019, folder=folder)

    assert [outcome.method for outcome in found] == ["time", "infinity"]
    for outcome in found:
        assert outcome.ours.simulated
        assert all(all(flags) for flags in outcome.checks().values())
        for run in outcome.runs:
            ours = outcome.condition(run)
            assert ours["score"] == pytest.approx(run.score, abs=run.std)
            assert ours["std"] == pytest.approx(run.std, rel=0.1)


def test_tables_are_aligned():
    lines = table(("name", "x"), [("a", "1.0"), ("long name", "10.0")]).splitlines()

    assert lines[2] == "| a         |  1.0 |"
    assert all(len(a) == len(b) for a, b in combinations(lines, 2))
