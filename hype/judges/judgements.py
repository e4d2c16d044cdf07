"""Judges held against people's judgements, real or fake: detectors beside people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

import numpy as np
import pandas as pd
from scipy import special

from hype.errors import InputError
from hype.judges.choices import ImageChoices, PeoplesChoices, choice_agreement
from hype.judges.clustered import RowUnits, figure, share, two_way_correlation
from hype.judges.files import place_of
from hype.judges.items import People, judged, people_in
from hype.judges.preference_findings import detecting_in_words
from hype.judges.results import (
    CountedEstimate,
    DetectorAgreement,
    DetectorOnCondition,
    JudgementJudgesScore,
    JudgeOptions,
)
from hype.protocols.hype.error_rates import d_prime_and_criterion
from hype.protocols.rating.rows import NO, YES
from hype.protocols.rating.table import Scale
from hype.statistics.arrays import BoolArray, FloatArray, IntArray
from hype.statistics.estimate import Estimate
from hype.tables.columns import shortened
from hype.tables.distinct import constant

if TYPE_CHECKING:
    from hype.judges.files import Judges
    from hype.judges.items import Judged

_IMAGES: Final = RowUnits(evaluator=None, item=None)
REALS: Final = "real images"
"""The group of all of them, beside the conditions."""


def images_named(judgements: pd.DataFrame) -> frozenset[str]:
    """Name the images of judgements.

    Raises InputError: some have no names.
    """
    if "image" not in judgements or judgements["image"].eq("").any():
        problem = "judges name images, and judgements do not name all of theirs"
        raise InputError("judgements", problem, "the column image")
    return frozenset(judgements["image"].astype(str))


def people_detecting(judgements: pd.DataFrame) -> tuple[People, pd.DataFrame]:
    """Lay out judgements in the columns of ratings of single images: yes for real."""
    real = judgements["answer"].eq("real").to_numpy()
    truth = judgements["truth"].eq("real").to_numpy()
    made = np.where(truth, REALS, judgements["condition"].astype(str).to_numpy())
    columns = {
        "item": pd.Categorical(judgements["image"].astype(str)),
        "axis": constant("", judgements.index),
        "value": real.astype(float),
        "answer": pd.Categorical(np.where(real, YES, NO)),
        "first": pd.Categorical(made),
        "first_image": judgements["image"].astype(str),
        "truth_value": truth.astype(float),
        "condition": judgements["condition"],
        "evaluator": judgements["evaluator"],
    }
    table = pd.DataFrame(columns, index=judgements.index)
    return people_in(table, Scale(), called="an image that people judged", column="image"), table


class Detecting:
    """People's judgements as arrays of shape (n,), and as choices between two answers."""

    def __init__(self, table: pd.DataFrame, people: People) -> None:
        self.people = people
        self.item: IntArray = table["item"].cat.codes.to_numpy().astype(np.int64)
        self.real: BoolArray = table["value"].to_numpy() > 0
        self.truth: BoolArray = table["truth_value"].to_numpy() > 0
        self.group: IntArray = table["first"].cat.codes.to_numpy().astype(np.int64)
        self.groups = tuple(map(str, table["first"].cat.categories))
        self.condition = table["condition"].astype(str).to_numpy()
        self.evaluator: IntArray = table["evaluator"].cat.codes.to_numpy().astype(np.int64)
        self.evaluators = len(table["evaluator"].cat.categories)
        self.units = RowUnits(evaluator=self.evaluator, item=self.item)
        fake = (~self.real).astype(np.int64)
        self.choices = PeoplesChoices(
            images=tuple(name for name in people.items for _ in range(2)),
            choices=ImageChoices(
                better=2 * self.item + fake, worse=2 * self.item + 1 - fake, units=self.units
            ),
            better=2 * self.group + fake,
            worse=2 * self.group + 1 - fake,
            conditions=tuple(name for name in self.groups for _ in range(2)),
            average=self._most(),
        )

    def _most(self) -> ImageChoices:
        """Give what most people call each image that two or more judged."""
        net = np.bincount(self.item, weights=np.where(self.real, 1.0, -1.0))
        asked = np.flatnonzero((np.bincount(self.item) > 1) & (net != 0))
        fake = (net[asked] < 0).astype(np.int64)
        units = RowUnits(evaluator=None, item=asked)
        return ImageChoices(better=2 * asked + fake, worse=2 * asked + 1 - fake, units=units)


def judge_judgements(
    judgements: pd.DataFrame, judges: Judges, options: JudgeOptions
) -> JudgementJudgesScore:
    """Hold judges against people's judgements.

    Parameters
    ----------
    judgements
        Those of one protocol that are scored, with names of images.
    judges
        As `read_judges` returns them; all answer real or fake.
    options
        The choices.

    Raises
    ------
    InputError
        A judge scores images, or answers about one that people did not
        judge.
    """
    if not judges.scores.empty:
        judge = shortened(str(judges.scores["judge"].iloc[0]))
        problem = f"the judge {judge!r} scores images, and people said real or fake"
        raise InputError(place_of(judges.scores, 0), problem, "the columns image and answer")
    people, table = people_detecting(judgements)
    detecting = Detecting(table, people)
    held = [
        detecting_in_words(_agreement(each, detecting, options), options)
        for each in judged(judges, people, overall="")
    ]
    return JudgementJudgesScore(
        judges=tuple(sorted(held, key=lambda one: (one.error.value or 0.0, one.judge))),
        margin=options.margin_of_shares,
        fewest_people=options.fewest_people,
        confidence=options.confidence,
        alpha=options.alpha,
        seed=options.seed,
        notes=(
            "Errors of judges and people are those on images that both judged. What a judge "
            "answered several times counts as most of its answers.",
            "Intervals take evaluators and images for the independent units.",
        ),
    )


def _agreement(judge: Judged, people: Detecting, options: JudgeOptions) -> DetectorAgreement:
    said = judge.numbers[:, 0]  # 1 for real, 0 for fake, NaN for nothing; of each image
    values = 2 * said - 1
    sides: FloatArray = np.stack([values, -values], axis=1).ravel()
    base = choice_agreement(
        judge.judge, lambda one, _: sides[one], people.choices, options, of_two=False, as_one=True
    )
    known = ~np.isnan(values[people.item])
    item, theirs = people.item[known], np.where(people.real[known], 1.0, -1.0)
    confidence, units = options.confidence, people.units.of(known)
    r, p = two_way_correlation(values[item], theirs, units, confidence)
    return DetectorAgreement(
        **{
            **vars(base),
            "images": int((~np.isnan(said)).sum()),
            "of_images": len(said),
            "pairs": (),
        },
        missing=dict(judge.missing),
        constant=_constant(said),
        **_error_rates(said, people, known, confidence),
        **_sensitivity(said, people, known, confidence),
        r=r.r,
        p_r=p,
        conditions=tuple(_on_conditions(said, people, known)),
    )


class _ErrorRates(TypedDict):
    error: CountedEstimate
    people_error: CountedEstimate
    difference_of_errors: CountedEstimate
    fakes_error: CountedEstimate | None
    people_fakes_error: CountedEstimate | None
    reals_error: CountedEstimate | None
    people_reals_error: CountedEstimate | None


def _error_rates(
    said: FloatArray, people: Detecting, known: BoolArray, confidence: float
) -> _ErrorRates:
    """Give errors on images that both judged: the judge's once for each, and people's."""
    item, truth, units = people.item[known], people.truth[known], people.units.of(known)
    wrong = ((said[item] > 0) != truth).astype(float)
    of_people = (people.real[known] != truth).astype(float)
    apart, once = wrong - of_people, np.unique(item, return_index=True)[1]
    mean = float(apart.mean()) if apart.size else 0.0
    fakes, reals = (
        (
            _share(wrong[once][rows[once]], _IMAGES, confidence),
            _share(of_people[rows], units.of(rows), confidence),
        )
        for rows in (~truth, truth)
    )
    return _ErrorRates(
        error=share(wrong[once], _IMAGES, confidence),
        people_error=share(of_people, units, confidence),
        difference_of_errors=figure(mean, apart - mean, units, confidence),
        fakes_error=fakes[0],
        people_fakes_error=fakes[1],
        reals_error=reals[0],
        people_reals_error=reals[1],
    )


def _share(wrong: FloatArray, units: RowUnits, confidence: float) -> CountedEstimate | None:
    return share(wrong, units, confidence) if wrong.size else None


def _constant(said: FloatArray) -> str:
    given = np.unique(said[~np.isnan(said)])
    return ("real" if given[0] else "fake") if len(given) == 1 else ""


def _counts(wrong: FloatArray, truth: BoolArray, who: IntArray, size: int) -> list[FloatArray]:
    """Count fakes, those that were wrong, reals, and those that were wrong; shape (size,) each."""
    return [
        np.bincount(who[rows], weights=weight[rows], minlength=size).astype(float)
        for rows in (~truth, truth)
        for weight in (np.ones(len(wrong)), wrong)
    ]


def _of_images(said: FloatArray, people: Detecting, rows: BoolArray) -> list[FloatArray]:
    """Count as `_counts` each image of some judgements once."""
    item, first = np.unique(people.item[rows], return_index=True)
    truth = people.truth[rows][first]
    wrong = ((said[item] > 0) != truth).astype(float)
    return _counts(wrong, truth, np.zeros(len(item), dtype=np.int64), 1)


def _of_people(people: Detecting, rows: BoolArray) -> list[FloatArray]:
    wrong = (people.real != people.truth)[rows].astype(float)
    return _counts(wrong, people.truth[rows], people.evaluator[rows], people.evaluators)


class _Sensitivity(TypedDict):
    d_prime: Estimate | None
    criterion: Estimate | None
    people_d_prime: Estimate | None
    people_criterion: Estimate | None


def _sensitivity(
    said: FloatArray, people: Detecting, known: BoolArray, confidence: float
) -> _Sensitivity:
    """Give d′ and criterion of a judge over images, and the means of people's."""
    counts = _of_images(said, people, known)
    own = [float(each[0]) for each in d_prime_and_criterion(*counts)]
    errors = _standard_errors(counts)
    theirs = [each[~np.isnan(each)] for each in d_prime_and_criterion(*_of_people(people, known))]
    half = float(special.ndtri((1 + confidence) / 2))
    of_judge = [
        None if np.isnan(value) else Estimate(value=value, low=value - reach, high=value + reach)
        for value, reach in zip(own, (half * error for error in errors), strict=True)
    ]
    of_people = [_mean(each, confidence) for each in theirs]
    return _Sensitivity(
        d_prime=of_judge[0],
        criterion=of_judge[1],
        people_d_prime=of_people[0],
        people_criterion=of_people[1],
    )


def _standard_errors(counts: list[FloatArray]) -> tuple[float, float]:
    """Give the standard errors of d′ and of the criterion.

    Gourevitch and Galanter (1967), "A significance test for one parameter isosensitivity
    functions", Psychometrika 32, eq. 5, of the counts that `d_prime_and_criterion` makes of these.
    """
    fakes, missed, reals, denied = (float(each[0]) for each in counts)
    variances = []
    for wrong, number in ((missed, fakes), (denied, reals)):
        rate, many = (wrong + 0.5) / (number + 1), number + 1
        z = float(special.ndtri(rate))
        variances.append(rate * (1 - rate) / many * 2 * np.pi * np.exp(z**2))
    error = float(np.sqrt(sum(variances)))
    return error, error / 2


def _mean(values: FloatArray, confidence: float) -> Estimate | None:
    if not values.size:
        return None
    mean = float(values.mean())
    if len(values) < 2:
        return Estimate(value=mean, low=None, high=None)
    quantile = float(special.stdtrit(len(values) - 1, (1 + confidence) / 2))
    half = quantile * float(values.std(ddof=1)) / float(np.sqrt(len(values)))
    return Estimate(value=mean, low=mean - half, high=mean + half)


def _on_conditions(
    said: FloatArray, people: Detecting, known: BoolArray
) -> list[DetectorOnCondition]:
    rows = []
    for name in sorted(set(people.condition)):
        own = known & (people.condition == name)
        fakes = own & ~people.truth
        if not fakes.any():
            continue
        item, place = np.unique(people.item[fakes], return_inverse=True)
        called = np.bincount(place, weights=~people.real[fakes]) / np.bincount(place)
        mine = 1 - said[item]
        varies = min(float(np.ptp(mine)), float(np.ptp(called))) > 0
        d_primes = [
            d_prime_and_criterion(*counts)[0]
            for counts in (_of_images(said, people, own), _of_people(people, own))
        ]
        of_judge, of_people = (each[~np.isnan(each)] for each in d_primes)
        rows.append(
            DetectorOnCondition(
                condition=name,
                images=len(item),
                error=float(said[item].mean()),
                people_error=float(people.real[fakes].mean()),
                r=float(np.corrcoef(mine, called)[0, 1]) if varies else None,
                d_prime=float(of_judge[0]) if of_judge.size else None,
                people_d_prime=float(of_people.mean()) if of_people.size else None,
            )
        )
    return rows
