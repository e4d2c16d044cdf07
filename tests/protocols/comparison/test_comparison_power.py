"""`hype power` of comparisons: what a win rate takes, what a study gives."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from builders import contents, named_study
from compared_studies import compared_study

from hype.protocols.comparison.planning import alike_choices, centre
from hype.protocols.comparison.power import VotePrecision
from hype.protocols.comparison.settings import ComparingPeopleSettings

if TYPE_CHECKING:
    from running import Program


@pytest.mark.parametrize(("win_rate", "needed"), [(0.55, 778), (0.52, 4898), (0.60, 189)])
def test_what_a_win_rate_takes(win_rate: float, needed: int, hype: Program) -> None:
    """189 and not the 188 that one source prints: its own formula gives 189."""
    told = hype("power", "--win-rate", win_rate, "--json").json
    text = hype("power", "--win-rate", win_rate).out

    assert told["comparisons_needed"] == told["comparisons_needed_if_independent"] == needed
    assert (told["study"], told["design"], told["design_effect"]) == (None, None, 1)
    assert {row["win_rate"] for row in told["rows"]} > {0.52, 0.55, 0.60}
    assert f"A win rate of {100 * win_rate:g}% takes {needed:,} comparisons" in text


def test_evaluators_who_give_several_comparisons_make_more_needed(hype: Program) -> None:
    told = hype("power", "--win-rate", 0.55, "--each", 11, "--icc", 0.1, "--json").json
    text = hype("power", "--win-rate", 0.55, "--each", 11, "--icc", 0.1).out

    assert told["design_effect"] == pytest.approx(2, abs=0.002)
    assert told["comparisons_needed"] in (1555, 1556)
    assert "a design effect of 2, so 1,555 instead of 778." in text


def test_what_a_study_gives(tmp_path: Path, hype: Program) -> None:
    study = compared_study(tmp_path, people={"taste_spread": 0.0, "image_spread": 0.0})
    before = contents(tmp_path)
    told = hype("power", study.folder, "--json").json

    assert told["design"] == {
        "conditions": 3,
        "prompts": 2,
        "images": 2,
        "pairs": 3,
        "comparisons": 24,  # 3 pairs x 2 prompts x 2 x 2 images
        "votes": 6,
        "fewest": 48,
        "most": 48,
        "evaluators": 6,
        "session": 24,
        "each": 8.0,
        "arena": False,
    }
    assert told["correlation"] == pytest.approx(0, abs=1e-9)
    assert (
        told["evaluators_needed"] == 880
    )  # 7,037 / 8: images of two prompts tell little of other prompts
    assert told["enough"] is False
    assert told["smallest_win_rate"] == pytest.approx(0.916, abs=0.001)
    text = hype("power", study.folder).out
    assert "24 comparisons with 6 votes each by 6 evaluators: 48 votes for each of its 3 p" in text
    assert "That shows win rates from 91.6% on with a power of 80%. 55% is found in " in text
    assert "It is not enough for 55%: that takes about 880 evaluators." in text
    assert contents(tmp_path) == before


def test_options_overrule_the_study(tmp_path: Path, hype: Program) -> None:
    study = compared_study(tmp_path, analysis={"win_rate": 0.7, "power": 0.9})
    assert hype("power", study.folder, "--json").json["win_rate"] == 0.7
    options = ("--win-rate", 0.99, "--icc", 0.0, "--each", 1)
    told = hype("power", study.folder, *options, "--json").json

    assert (told["win_rate"], told["power"], told["enough"]) == (0.99, 0.9, True)
    assert "It is enough for 99%." in hype("power", study.folder, *options).out


@pytest.mark.parametrize(
    ("models", "win_rate", "found"), [(2, 0.55, 0.24), (2, 0.6, 0.80), (6, 0.6, 0.30), (6, 0.7, 1)]
)
def test_an_arena_is_planned_with_its_looks(models: int, win_rate: float, found: float) -> None:
    """As often as `benchmarks/arena.py` found the best of 10 prompts within 5,000 votes."""
    people = ComparingPeopleSettings(taste_spread=0.3, image_spread=0.5, lapse=0.0)
    of_person, of_image = alike_choices(people, win_rate)
    pairs = math.comb(models, 2)
    own = VotePrecision(
        each=48 / pairs,
        of_person=of_person,
        of_image=of_image,
        images=40,
        prompts=10,
        people_known=True,
        looks=True,
        learnt=models / 2,
    )
    planned = own.power_of_looks(104 * 48 / pairs, win_rate, 0.05, models - 1)
    assert planned == pytest.approx(found, abs=0.12)


def test_what_an_arena_gives(tmp_path: Path, hype: Program) -> None:
    study = compared_study(
        tmp_path, comparison={"arena": {"most_votes": 2000, "images": "fixed"}}, files=True
    )
    text = hype("power", study.folder, "--win-rate", 0.7).out

    assert "the arena's looks, of strengths that learn from all pairs, are allowed for" in text
    assert "70% is found in 100% of studies, and against all others at once" in text


@pytest.mark.parametrize(
    ("taste", "image", "lapse"), [(0.3, 0.5, 0.02), (1.5, 0, 0), (0.8, 1, 0.3)]
)
@pytest.mark.parametrize("win_rate", [0.5, 0.55, 0.7])
def test_how_alike_choices_are(taste: float, image: float, lapse: float, win_rate: float) -> None:
    """Two choices of each of many people, and about each of many images, drawn as simulated."""
    people = ComparingPeopleSettings(taste_spread=taste, image_spread=image, lapse=lapse)
    rng, n = np.random.default_rng(1), 400_000
    found = alike_choices(people, win_rate)
    whole = np.sqrt(2 * (taste**2 + image**2))
    for own, expected in zip((np.sqrt(2) * taste, image), found, strict=True):
        shared = centre(people, win_rate) + own * rng.standard_normal(n)
        each = [
            shared + np.sqrt(max(0.0, whole**2 - own**2)) * rng.standard_normal(n) for _ in range(2)
        ]
        one, other = (rng.random(n) < lapse / 2 + (1 - lapse) / (1 + np.exp(-x)) for x in each)
        assert one.mean() == pytest.approx(win_rate, abs=0.005)
        assert expected == pytest.approx(np.corrcoef(one, other)[0, 1], abs=0.008)


def test_of_two_prompts_more_evaluators_tell_what_these_images_are(
    tmp_path: Path, hype: Program
) -> None:
    told, alike = (
        hype("power", compared_study(folder, people={"image_spread": sd}).folder, "--json").json
        for folder, sd in ((tmp_path / "unlike", 1.0), (tmp_path / "alike", 0.0))
    )

    assert told["comparisons_needed"] is not None
    assert told["comparisons_needed"] < 1.1 * alike["comparisons_needed"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "STUDY: is missing; a study; or of comparisons in general --win-rate P"),
        (("--win-rate", "55"), "--win-rate: 55 is out of range; above 0 and below 1, such as 0.55"),
        (("--win-rate", "nan"), "--win-rate: nan is out of range"),
        (("--win-rate", "0.5"), "equals cannot be told apart"),
        (("--win-rate", "0.6", "--alpha", "0"), "--alpha: 0 is out of range"),
        (("--win-rate", "0.6", "--power", "1"), "--power: 1 is out of range"),
        (("--win-rate", "0.6", "--icc", "2"), "--icc: 2 is out of range; 0 to 1"),
        (("--win-rate", "0.6", "--each", "0"), "--each: 0 is too few; 1 or more"),
        (("--win-rate", "0.6", "--difference", "5"), "--difference: is for studies of HYPE's met"),
        (("--win-rate", "0.6", "--seed", "5"), "--seed: is for studies of HYPE's methods, not for"),
        (("--difference", "5"), "STUDY: is missing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_input_gets_one_message(
    options: tuple[str, ...], message: str, hype: Program
) -> None:
    assert message in hype("power", *options).refused()


def test_options_of_the_other_kind_of_study_are_refused(tmp_path: Path, hype: Program) -> None:
    judged = named_study(tmp_path / "judged")
    compared = compared_study(tmp_path / "compared")

    said = hype("power", judged.folder, "--difference", 5, "--win-rate", 0.6).refused()
    assert said == f"hype: --win-rate: is for comparisons, and {judged.path} has none"
    said = hype("power", judged.folder).refused()
    missing = (
        f"hype: --difference: is missing; needed for {judged.path}: what true scores differ by"
    )
    assert said == f"{missing}, in ms (HYPE_time)"
    said = hype("power", compared.folder, "--evaluators", "5").refused()
    assert f"--evaluators: is for studies of HYPE's methods, not for {compared.path}" in said
