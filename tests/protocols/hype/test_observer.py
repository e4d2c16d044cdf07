"""Simulated evaluators: their answers, their differences, and going on where they stopped."""

from dataclasses import replace

import numpy as np
import pytest
from builders import stimulus
from likely_counts import within_chance

from hype.protocols.hype.observer import Observer, Population, Psychometric
from hype.protocols.hype.trial import JudgementTrial, Task
from hype.session.simulate import WindowlessStation

TYPICAL = {
    "easy": Psychometric(threshold_ms=100, ceiling=0.95, lapse=0.0),
    "hard": Psychometric(threshold_ms=400, ceiling=0.6, lapse=0.0),
}
ALIKE = Population(typical=TYPICAL, threshold_spread=0, ceiling_spread=0, bias_spread=0)


def trial(
    condition: str, task: Task = Task.TIME, exposure_ms: float | None = 200.0
) -> JudgementTrial:
    return JudgementTrial(
        task=task, block=1, number=1, stimulus=stimulus(1, condition), exposure_ms=exposure_ms
    )


def observer(condition: str = "hard", seed: int = 1, population: Population = ALIKE) -> Observer:
    return Observer(population, condition, np.random.default_rng(seed))


@pytest.mark.parametrize("exposure_ms", [100.0, 400.0, 900.0, None])
@pytest.mark.parametrize("condition", ["", "hard"])
def test_accuracy_of_many_answers_is_that_of_the_function(exposure_ms, condition):
    one, judged = observer(), trial(condition, exposure_ms=exposure_ms)
    n = 4000
    correct = sum(judged.correct(one.respond_to(judged).answer) for _ in range(n))

    assert within_chance(correct, n, TYPICAL["hard"].accuracy(exposure_ms))


def test_lapses_and_bias_come_out_of_the_answers():
    function = Psychometric(threshold_ms=100, ceiling=0.9, lapse=0.2, bias=0.4)
    population = Population(
        typical={"hard": function}, threshold_spread=0, ceiling_spread=0, bias_spread=0
    )
    one, n = observer(population=population), 4000
    for condition in ("", "hard"):
        said = sum(one.respond_to(trial(condition)).answer == "fake" for _ in range(n))
        assert within_chance(said, n, function.says_fake(200.0, fake=bool(condition)))


def test_in_the_qualification_every_generator_is_told_by_its_own_function():
    one = observer("hard")
    qualification = {
        c: one.says_fake(trial(c, Task.QUALIFICATION, None)) for c in ("easy", "hard", "")
    }

    assert qualification["easy"] == pytest.approx(0.95)
    assert qualification["hard"] == pytest.approx(0.6)
    assert qualification[""] == pytest.approx((0.05 + 0.4) / 2)
    assert one.says_fake(trial("", Task.INFINITY, None)) == pytest.approx(0.4)


def test_response_times_have_the_median_and_the_spread():
    one = observer()
    times = np.array([one.respond_to(trial("hard")).rt_ms for _ in range(4000)])

    assert np.median(times) == pytest.approx(700, rel=0.03)
    assert np.log(times).std() == pytest.approx(0.35, abs=0.02)


def test_without_a_window_time_passes_on_paper():
    station = WindowlessStation(observer(), unix_s=1000.0, monotonic_s=50.0, countdown_ms=1500)
    timed = replace(trial("hard"), masks=("a", "b"), mask_ms=30.0)
    first = station.present(timed)
    answer = station.respond(timed)
    second = station.present(timed)

    assert (first.onset_monotonic_s, first.onset_unix_s) == (51.5, 1001.5)
    assert first.timing is None  # nothing was shown, so nothing was measured
    lasted_s = (200 + 60 + answer.rt_ms + 1500) / 1000
    assert second.onset_monotonic_s - first.onset_monotonic_s == pytest.approx(lasted_s)
    assert station.now_unix_s - 1000 == pytest.approx(second.onset_unix_s - 1000 + 0.26)
