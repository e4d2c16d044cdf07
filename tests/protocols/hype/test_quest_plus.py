"""QUEST+: its choices, its score of a block, and the replay of its sessions."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from builders import settings_of, whole_study
from known import verify_record
from paper_station import PaperStation, record_of, rows_of
from verified_records import TickingStation, attend

from hype.errors import InputError
from hype.protocols.hype.block_scores import score_blocks
from hype.protocols.hype.record import judgements
from hype.protocols.hype.scoring import score
from hype.protocols.hype.settling import find_unsettled
from hype.protocols.hype.staircase import (
    AT,
    LAPSES,
    SLOPES,
    QuestPlus,
    estimate,
    thresholds,
)
from hype.protocols.hype.table import check_judgements
from hype.protocols.hype.wording import meaning_of, statistics_in_words
from hype.protocols.registry import protocol_of

RULE = QuestPlus(start_ms=500.0, min_ms=100.0, max_ms=1000.0, refresh_hz=60.0)
BOUNDS_MS = RULE.min_ms, RULE.max_ms
ANSWERS = (True, True, False, True, False, False, True, True, True, False, True, True)
QUEST = {"preset": "quest+", "allow_unsettled": True}


def chosen(rule, answers):
    """Return the exposures of a block, including the one after its last answer."""
    states = [rule.start()]
    for correct in answers:
        states.append(rule.step(states[-1], correct))
    return [state.exposure_ms for state in states]


class BruteForce:
    """Bayes' rule for each cell of the grid, in plain Python: the probability of all answers."""

    def __init__(self, rule):
        self.levels_ms = rule.levels()
        self.thresholds_ms = thresholds(rule.min_ms, rule.max_ms).tolist()
        self.shapes = list(product(SLOPES, LAPSES))
        self.answers = []

    def accuracy(self, exposure_ms, threshold_ms, slope, lapse):
        share = (AT - 0.5) / (0.5 - lapse)
        rise = 1 - (1 - share) ** ((exposure_ms / threshold_ms) ** slope)
        return 0.5 + (0.5 - lapse) * rise

    def of_threshold(self, answers):
        """Return the probability of answers for each threshold, over all shapes."""
        found = []
        for threshold_ms in self.thresholds_ms:
            total = 0.0
            for slope, lapse in self.shapes:
                likely = 1.0
                for exposure_ms, correct in answers:
                    right = self.accuracy(exposure_ms, threshold_ms, slope, lapse)
                    likely *= right if correct else 1 - right
                total += likely
            found.append(total)
        return found

    def expected_entropy(self, exposure_ms):
        expected, every = 0.0, math.fsum(self.of_threshold(self.answers))
        for correct in (True, False):
            joint = self.of_threshold([*self.answers, (exposure_ms, correct)])
            total = math.fsum(joint)
            entropy = -math.fsum(p / total * math.log(p / total) for p in joint)
            expected += total / every * entropy
        return expected

    def choose(self):
        return min(self.levels_ms, key=lambda ms: round(self.expected_entropy(ms), 9))


def test_each_exposure_is_the_one_of_least_expected_entropy():
    rule = QuestPlus(start_ms=200.0, min_ms=150.0, max_ms=400.0, refresh_hz=20.0)
    brute, expected = BruteForce(rule), []
    for correct in ANSWERS[:6]:
        expected.append(brute.choose())
        brute.answers.append((expected[-1], correct))

    assert chosen(rule, ANSWERS[:6]) == [*expected, brute.choose()]
    assert len(set(expected)) > 2
    weights = np.array(brute.of_threshold(brute.answers))
    places, share = np.log2(brute.thresholds_ms), weights / weights.sum()
    mean_ms, found_spread = estimate(*zip(*brute.answers, strict=True), (rule.min_ms, rule.max_ms))
    assert mean_ms == pytest.approx(2 ** (share @ places))
    spread = math.sqrt(share @ places**2 - (share @ places) ** 2)
    assert found_spread == pytest.approx(spread)


@pytest.mark.parametrize("refresh_hz", [59.94, 60.0, 75.0, 144.0, 1000.0])
def test_exposures_are_whole_frames_between_the_bounds(refresh_hz):
    levels_ms = np.array(RULE.levels() if refresh_hz == 60 else _at(refresh_hz).levels())
    frames = levels_ms * refresh_hz / 1000

    assert np.abs(frames - frames.round()).max() < 1e-5
    assert (np.diff(levels_ms) > 0).all()
    assert 100 <= levels_ms[0] < 100 + 1000 / refresh_hz
    assert 1000 - 1000 / refresh_hz < levels_ms[-1] <= 1000 + 1e-6
    assert 30 <= len(levels_ms) <= 41


def _at(refresh_hz: float) -> QuestPlus:
    return QuestPlus(start_ms=500.0, min_ms=100.0, max_ms=1000.0, refresh_hz=refresh_hz)


def recorded(study):
    with record_of(study) as engine:
        rows = [row for row in rows_of(engine, judgements) if row.task == "time"]
    return {n: [row for row in rows if row.block == n] for n in {row.block for row in rows}}


def assert_replayed(study, blocks: int) -> None:
    """Check that the recorded answers alone give the recorded exposures."""
    found = recorded(study)
    assert len(found) == blocks
    for rows in found.values():
        heard = [row.correct for row in rows if row.verdict == "ok" or row.repeats]
        shown = [row.exposure_ms for row in rows if row.verdict == "ok" or row.repeats]
        assert shown == chosen(study.settings.rule, heard)[: len(shown)]
        assert len(set(shown)) > 2
    assert verify_record(study).sound


def test_a_session_that_was_stopped_goes_on_with_the_exposures_it_would_have_had(tmp_path):
    """Some trials are spoiled by the screen; the rule gets their answers when they are repeated."""
    study = whole_study(
        tmp_path,
        time={"staircase": QUEST},
        timing={"spoiled_trials": "repeat"},
        qualification={"enabled": False},
    )

    def station(stops_at: int | None = None) -> PaperStation:
        return TickingStation(
            lambda trial, n: n % 3 != 0,
            spoils=lambda trial, n: trial.task.value == "time" and trial.number == 2,
            times=True,
            stops_at=stops_at,
        )

    with record_of(study) as engine:
        attend(engine, study, "p01", station(5), station(11), station())
    assert_replayed(study, blocks=2)


def judged(blocks: int = 12, trials: int = 150, threshold_ms: float = 300.0) -> pd.DataFrame:
    """Play blocks of observers who answer 75% correctly at ``threshold_ms``."""
    rng, rows = np.random.default_rng(3), []
    for block in range(blocks):
        state = RULE.start()
        for trial in range(trials):
            rise = 1 - (1 - 0.25 / 0.45) ** ((state.exposure_ms / threshold_ms) ** 1.5)
            correct = bool(rng.random() < 0.5 + 0.45 * rise)
            truth = ("real", "fake")[trial % 2]
            answer = truth if correct else ("fake", "real")[trial % 2]
            cells = (f"p{block // 2}", "model", truth, answer, block % 2, trial + 1)
            rows.append((*cells, state.exposure_ms))
            state = RULE.step(state, correct)
    names = ["evaluator", "condition", "truth", "answer", "block", "trial", "exposure_ms"]
    table = pd.DataFrame(rows, columns=names)
    return table.assign(floor_ms=100.0, ceiling_ms=1000.0, exposure_rule="quest+")


def test_a_block_scores_its_threshold_and_no_mode_is_said():
    table = judged()
    (found,) = score(table, draws=10)
    (row,) = found.rows("conditions")
    blocks = score_blocks(check_judgements(table), BOUNDS_MS)

    assert row["score"] == pytest.approx(300, rel=0.1)
    first = table[(table["evaluator"] == "p0") & (table["block"] == 0)]
    right = first["truth"] == first["answer"]
    expected, _ = estimate(first["exposure_ms"], right, BOUNDS_MS)
    assert blocks["exposure_ms"][0] == pytest.approx(expected)
    (posterior,) = found.rows("quest-plus")
    assert posterior["sd_doublings"] == pytest.approx(blocks["sd_doublings"].mean())
    assert meaning_of(found) == "threshold estimated by QUEST+, ms; higher is more convincing"
    assert found.to_object()["quest_plus"][0]["settles_at"] == AT
    assert found.rows("staircases") == ()
    said = " ".join(one.text for one in statistics_in_words((found,), curves=False))
    assert "QUEST+ (Watson, 2017)" in said
    assert "its most frequent requested" not in said
    shuffled = table.sample(frac=1, random_state=1)
    assert score(shuffled, draws=10)[0].rows("conditions")[0]["score"] == row["score"]


def test_a_floor_is_said_of_thresholds_and_not_of_exposures():
    (found,) = score(judged(threshold_ms=60.0), draws=10)

    assert found.rows("quest-plus")[0]["floor_share"] == 1
    assert any("estimated threshold was no longer than the shortest" in n for n in found.notes)
    assert not any("most frequent" in note for note in found.notes)


def test_scores_of_two_kinds_are_not_mixed():
    table = judged(blocks=2, trials=20)
    table.loc[table["evaluator"].eq("p0") & table["block"].eq(0), "exposure_rule"] = "staircase"

    with pytest.raises(InputError, match=r"exposure_rule: is quest\+ only in some judgements"):
        score(table, draws=10)


def test_it_has_no_steps():
    with pytest.raises(ValueError, match="no steps; remove down_ms and up_ms, which staircases"):
        settings_of(time={"staircase": {**QUEST, "up_ms": 2, "down_ms": 2}})


def test_a_display_must_have_exposures_to_choose_from():
    bounds = {"start_ms": 101.0, "min_ms": 101.0, "max_ms": 115.0}
    with pytest.raises(ValueError, match="fewer than two of these are between min_ms"):
        settings_of(time={"staircase": {**QUEST, **bounds}})


def test_too_few_trials_are_a_problem_to_a_plan_too(tmp_path):
    study = whole_study(tmp_path, time={"staircase": {**QUEST, "allow_unsettled": False}})
    found = find_unsettled(study.settings.time)

    assert "6 trials per block are too few for quest+" in found.message
    assert "time.trials = 40 or more" in found.remedy
    with pytest.raises(InputError, match="6 trials per block are too few"):
        protocol_of(study).planned(study, "time")


def test_short_blocks_are_said_to_lean_towards_the_middle():
    (found,) = score(judged(trials=10), draws=10)

    assert any("are biased towards the middle exposures" in note for note in found.notes)
