from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit, logit

from hype.protocols.hype.block_scores import score_blocks
from hype.protocols.hype.inference import inference_of_exposures
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import check_judgements


def judged(rng, *, conditions=2, people=12, images=30, spread=0.0, tastes=0.0, within=False):
    """Draw judgements of equal models; people and images vary on the scale of logits."""
    rows = []
    reals = rng.normal(0, spread, images)
    own = rng.normal(0, tastes, people)
    for name in "abcdefgh"[:conditions]:
        fakes = rng.normal(0, spread, images)
        able = own if within else rng.normal(0, tastes, people)
        for person, image, kind in product(range(people), range(images), ("fake", "real")):
            looks = fakes[image] if kind == "fake" else reals[image]
            wrong = rng.random() < expit(able[person] + looks)
            answer = kind if not wrong else {"fake": "real", "real": "fake"}[kind]
            who = f"p{person}" if within else f"{name}{person}"
            where = f"real/{image}" if kind == "real" else f"fake/{name}/{image}"
            rows.append((who, name, kind, answer, where))
    columns = ["evaluator", "condition", "truth", "answer", "image"]
    return pd.DataFrame(rows, columns=columns)


def scored(frame, **options):
    (found,) = score(frame, draws=100, **options)
    return found


def own_scores(found):
    rows = found.rows("evaluators")
    return {
        name: np.array([row["score"] for row in rows if row["condition"] == name])
        for name in found.names
    }


def test_without_images_pairs_are_those_of_games_and_howell(rng):
    found = scored(judged(rng, conditions=3, tastes=1.0).drop(columns="image"))
    scores = own_scores(found)
    long = pd.DataFrame([(name, x) for name, own in scores.items() for x in own])
    import pingouin  # imported here: it takes seconds, and few test processes need it

    table = pingouin.pairwise_gameshowell(long, dv=1, between=0).set_index(["A", "B"])

    assert (found.facts["images"], found.facts["pairs_by"]) == ("unknown", "clustered-range")
    for pair in found.rows("pairs"):
        row = table.loc[tuple(sorted([pair.a, pair.b]))]
        assert pair.statistic == pytest.approx(np.sqrt(2) * abs(row["T"]))
        assert pair.df == pytest.approx(row["df"])
        assert pair.p == pytest.approx(row["pval"], abs=1e-9)
        assert pair.verdict == ("separable" if pair.p < 0.05 else "not known")


def test_people_of_both_conditions_are_compared_with_themselves(rng):
    found = scored(judged(rng, tastes=1.0, within=True), images="fixed")
    a, b = own_scores(found).values()
    (pair,) = found.rows("pairs")

    paired = stats.ttest_rel(a, b)
    assert (pair.statistic, pair.df) == pytest.approx((paired.statistic, 11))
    assert pair.p == pytest.approx(paired.pvalue)
    repeated = stats.ttest_rel(a, b).statistic ** 2
    (anova,) = found.rows("anova")
    assert (anova.f, anova.df_between, anova.df_within) == (pytest.approx(repeated), 1, 11)


@pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame:Warning")
def test_people_of_several_conditions_take_an_analysis_of_repeated_measures(rng):
    found = scored(judged(rng, conditions=4, tastes=1.0, within=True))
    long = pd.DataFrame(
        [(row["condition"], row["evaluator"], row["score"]) for row in found.rows("evaluators")],
        columns=["condition", "who", "score"],
    )
    import pingouin

    table = pingouin.rm_anova(  # it uses deprecated functions of pandas
        long, dv="score", within="condition", subject="who", correction=True
    ).iloc[0]

    (anova,) = found.rows("anova")
    assert anova.f == pytest.approx(table["F"])
    assert anova.epsilon == pytest.approx(table["eps"], abs=1e-3)
    assert anova.p == pytest.approx(table["p_GG_corr"], rel=1e-6)
    assert found.facts["pairs_by"] == "clustered-range"
    assert not found.rows("tukey")


@pytest.mark.parametrize(("right", "score_percent"), [(True, 0), (False, 100)])
@pytest.mark.parametrize("people", [2, 30])
def test_at_the_floor_and_the_ceiling_an_interval_is_not_empty(rng, right, score_percent, people):
    frame = judged(rng, people=people)
    opposite = {"fake": "real", "real": "fake"}
    frame["answer"] = frame["truth"] if right else frame["truth"].map(opposite)
    found = scored(frame)

    for row in found.rows("conditions"):
        assert row["score"] == score_percent
        assert row["interval"].low <= row["score"] <= row["interval"].high
        width = row["interval"].high - row["interval"].low
        assert (width > 40) if people == 2 else (0.1 < width < 2)
    assert found.rows("pairs")[0].verdict == "not known"
    for row in found.rows("answers"):
        assert row["d_prime"].ends == row["criterion"].ends == (None, None)


def test_guessers_on_unlike_mixes_of_fakes_and_reals_are_not_separable(rng):
    rows = [
        (f"{name}{person}", name, truth, answer)
        for name, share in (("even", 0.5), ("mostly", 0.9))
        for person in range(20)
        for truth, answer in zip(
            np.where(np.arange(50) < share * 50, "fake", "real"),
            np.where(rng.random(50) < share, "fake", "real"),
            strict=True,
        )
    ]
    found = scored(pd.DataFrame(rows, columns=["evaluator", "condition", "truth", "answer"]))

    errors = {row["condition"]: row["score"] for row in found.rows("conditions")}
    assert errors["even"] - errors["mostly"] > 20
    (pair,) = found.rows("pairs")
    assert abs(pair.difference) < 10
    assert (pair.verdict, abs(pair.hedges_g) < 1) == ("not known", True)
    assert any("numbers of fakes and real images differ" in note for note in found.notes)


def test_one_evaluator_against_three_is_no_comparison(rng):
    frame = judged(rng, people=3)
    alone = frame[(frame["condition"] == "a") | (frame["evaluator"] == "b0")]
    (pair,) = scored(alone).rows("pairs")

    assert (pair.p, pair.separable, pair.verdict) == (None, None, None)
    assert "b has one evaluator" in pair.problem


def test_a_margin_tells_equal_from_not_known(rng):
    frame = judged(rng, people=30, images=30)
    verdicts = [
        scored(frame, margins={"infinity": margin}).rows("pairs")[0] for margin in (0.5, 15, None)
    ]

    assert [pair.verdict for pair in verdicts] == ["not known", "equivalent", "not known"]
    assert verdicts[1].p_equivalent < 0.05 < verdicts[0].p_equivalent
    assert verdicts[2].p_equivalent is None
    sentence = scored(frame, margins={"infinity": 15}).table("pairs").note
    assert " are equivalent within 15 percentage points: " in sentence


def flashed(rng, *, ease=0.0, people=16, images=40):
    """Draw judgements of all fakes by all people; accuracy rises with the log of the exposure."""
    evaluator, image = map(np.ravel, np.indices((people, images)))
    exposure_ms = np.exp(rng.uniform(np.log(150), np.log(900), evaluator.size)).round(-1)
    easier = ease * rng.standard_normal(images)[image]
    accuracy = np.clip(0.7 + 0.25 * np.log(exposure_ms / 400) + easier, 0, 1)
    right = rng.random(evaluator.size) < accuracy
    return pd.DataFrame(
        {
            "evaluator": evaluator.astype(str),
            "condition": "gan",
            "truth": "fake",
            "answer": np.where(right, "fake", "real"),
            "image": image.astype(str),
            "exposure_ms": exposure_ms,
            "block": "1",
            "trial": image + 1,
        }
    )


@pytest.mark.parametrize(("ease", "wider"), [(0.0, False), (0.3, True)])
def test_images_widen_the_interval_of_exposures_where_they_vary(rng, ease, wider):
    frame = flashed(rng, ease=ease)
    alone = scored(frame, images="fixed")
    (sampled,), (fixed,) = scored(frame).rows("conditions"), alone.rows("conditions")

    assert (
        sampled["interval"].high - sampled["interval"].low
        > 1.1 * (fixed["interval"].high - fixed["interval"].low)
    ) is wider
    reach_ms = stats.t.ppf(0.975, 15) * stats.sem(own_scores(alone)["gan"])
    low_ms, high_ms = frame["exposure_ms"].min(), frame["exposure_ms"].max()
    share, *ends = (np.array([fixed["score"], *fixed["interval"].ends]) - low_ms) / (
        high_ms - low_ms
    )
    steps = np.abs(logit(ends) - logit(share))
    assert steps == pytest.approx(reach_ms / (high_ms - low_ms) / (share * (1 - share)))


def test_no_end_of_an_interval_is_an_exposure_that_no_score_can_be(rng):
    frame = flashed(rng, people=2)
    (seen,), (told,) = (
        scored(table).rows("conditions")
        for table in (frame, frame.assign(floor_ms=50.0, ceiling_ms=2000.0))
    )

    assert frame["exposure_ms"].min() < seen["interval"].low < seen["score"] < seen["interval"].high
    assert seen["interval"].high < frame["exposure_ms"].max() < told["interval"].high < 2000
    assert 50 < told["interval"].low < seen["interval"].low


def test_people_who_score_alike_by_chance_vary_as_their_blocks_do(rng):
    one = flashed(rng, people=1)
    blocks = [one.assign(block=str(b), exposure_ms=one["exposure_ms"] + 90 * b) for b in range(3)]
    own = pd.concat(blocks)
    table = pd.concat([own, own.assign(evaluator="twin")])
    found = scored(table, images="fixed")
    (row,) = found.rows("conditions")
    modes_ms = score_blocks(check_judgements(table))["exposure_ms"].to_numpy().reshape(2, 3)
    reach_ms = 1.96 * np.sqrt(modes_ms.var(axis=1, ddof=1).mean() / modes_ms.size)

    assert (modes_ms[0] == modes_ms[1]).all()
    assert row["interval"].high - row["interval"].low == pytest.approx(2 * reach_ms, rel=0.1)


def test_images_move_modes_as_far_as_answers_do(rng):
    frame = flashed(rng, ease=0.2, people=48)
    number = frame["evaluator"].astype(int)
    frame = frame.assign(evaluator=(number % 16).astype(str), block=(number // 16).astype(str))
    luck = (frame["answer"] == "fake") - 0.25 * np.log(frame["exposure_ms"] / 400)

    def of_images(times: float) -> float:
        """Return the images' part of the error; modes move ``times`` as far as a line predicts."""
        own = luck.groupby([frame["evaluator"], frame["block"]]).mean()
        moved_ms = -times * 400 / 0.25 * (own - own.groupby("evaluator").transform("mean"))
        modes_ms = 400 + moved_ms.to_numpy()
        found = inference_of_exposures(frame, modes_ms, "sample", bounds_ms=(100, 1000))
        return found.error("gan").of_items

    assert of_images(2) == pytest.approx(4 * of_images(1), rel=0.1)
    assert of_images(1.5) == pytest.approx(2.25 * of_images(1), rel=0.1)
