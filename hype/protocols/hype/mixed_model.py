"""A mixed-effects logistic model of all judgements, as the check on scores and pairwise tests.

Whether a judgement is wrong depends on its condition, on who judged and on which image was
judged; evaluators and images are two crossed samples (Baayen, Davidson & Bates 2008,
"Mixed-effects modeling with crossed random effects for subjects and items", equation 4; Jaeger
2008 for the logistic form). Scores and analysis of variance take the images as given; this model
does not. One intercept per condition stands for fakes and reals together, so that what sets
the two apart counts as variation between images.

Method: `crossed_logistic`. In 200 simulated studies of 3 conditions x 15 evaluators x
60 judgements its 95 % intervals held the true log-odds in 94 % and the true standard deviations of
evaluators and images in 96 %. The two methods of statsmodels' BinomialBayesMixedGLM were tried on
4 conditions x 30 evaluators x 100 judgements. Its variational one (`fit_vb`), which takes all
effects for independent, agrees on the estimates where images are judged often (a test holds that)
but gives the conditions standard deviations 2 to 2.7 times too small, 0.04 where 0.10 is right:
the coefficient of a condition and the effects of its own evaluators do not vary
independently. Its maximum a posteriori (`fit_map`) does not converge, since the joint density of
effects and standard deviations has its maximum where the latter are nearly zero (their logarithm
minus the number of evaluators, or of images). Laplace's approximation of the marginal likelihood,
as lme4 has it, puts the images' standard deviation at 0.26 to 0.38 where 0.6 is right if an image
is judged once or twice; this method at 0.49 to 0.67.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from hype.statistics.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hype.statistics.crossed_logistic import CrossedFit


@dataclass(frozen=True, kw_only=True)
class CrossedSamples:
    """Who judged which image for which condition, and was it wrong."""

    names: tuple[str, ...]  # the conditions, sorted
    # condition, evaluator, image: codes from 0 without gaps, shape (judgements,)
    condition: IntArray
    evaluator: IntArray
    image: IntArray
    wrong: FloatArray  # 1 or 0, shape (judgements,)

    @property
    def evaluators(self) -> int:
        return int(self.evaluator.max(initial=-1)) + 1

    @property
    def images(self) -> int:
        return int(self.image.max(initial=-1)) + 1


def named_images(judgements: pd.DataFrame) -> pd.DataFrame:
    if "image" not in judgements:
        return judgements.iloc[:0]
    images = judgements["image"].astype(object)
    return judgements[images.notna() & images.astype(str).str.strip().ne("")]


def crossed_samples(named: pd.DataFrame) -> CrossedSamples:
    """Number the conditions, evaluators and images of judgements that name their image."""
    condition, names = pd.factorize(np.asarray(named["condition"], dtype=object), sort=True)
    evaluator, _ = pd.factorize(np.asarray(named["evaluator"], dtype=object))
    fake = named["truth"].eq("fake").to_numpy()
    picture = np.zeros(0, dtype=np.int64)
    if len(named):
        picture, _ = pd.factorize(np.asarray(named["image"], dtype=object))
    owner = np.where(fake, condition + 1, 0)
    image, _ = pd.factorize(picture.astype(np.int64) * (len(names) + 1) + owner)
    wrong = fake != named["answer"].eq("fake").to_numpy()
    return CrossedSamples(
        names=tuple(map(str, names)),
        condition=condition.astype(np.int64),
        evaluator=evaluator.astype(np.int64),
        image=image.astype(np.int64),
        wrong=wrong.astype(float),
    )


def why_no_fit(judgements: pd.DataFrame, codes: CrossedSamples) -> str:
    if "task" in judgements and judgements["task"].eq("time").any():
        return "A staircase sets the error rate itself, so a model of errors says nothing there."
    if not len(codes.wrong):
        return "No judgement names its image, so images cannot be told from evaluators."
    if codes.wrong.min() == codes.wrong.max():
        return f"{'All' if codes.wrong.all() else 'No'} judgements are wrong."
    return _too_little(codes) or _too_much(codes)


def _too_little(codes: CrossedSamples) -> str:
    if np.bincount(codes.image).max() < 2:
        return "No image was judged twice, so nothing shows how much images vary."
    served = np.unique(np.stack([codes.condition, codes.evaluator]), axis=1)[0]
    if np.bincount(served).max() < 2:
        return "Every condition has a single evaluator, so nothing shows how much they vary."
    return ""


def _too_much(codes: CrossedSamples) -> str:
    from hype.statistics.crossed_logistic import MOST_EFFECTS

    if len(codes.names) + codes.evaluators > MOST_EFFECTS:
        return f"There are more than {MOST_EFFECTS} evaluators, too many for the mixed model."
    return ""


METHOD: Final = "logistic, crossed random intercepts, Gaussian variational approximation"
_Z: Final = 1.959963984540054
"""Bounds of the central 95 % of a normal distribution."""


@dataclass(frozen=True, kw_only=True)
class MixedCondition:
    """One condition."""

    condition: str
    judgements: int
    evaluators: int
    images: int
    observed_error: float  # percent of the judgements that are wrong, as counted
    # log_odds, sd: log-odds of an error for the typical evaluator and image (both deviations 0),
    # and the posterior standard deviation. Where nobody errs, or everybody, the prior decides them.
    log_odds: float
    sd: float
    # typical_error, ci_low, ci_high: the same in percent, with its central 95 % interval
    typical_error: float
    ci_low: float
    ci_high: float
    # Percent expected over evaluators and images like these; to be compared with the observed
    marginal_error: float


@dataclass(frozen=True, kw_only=True)
class MixedPair:
    """Two conditions compared."""

    a: str
    b: str
    # difference, sd: log-odds of an error in `a` less that in `b`, and its posterior standard
    # deviation
    difference: float
    sd: float
    # z, p: their ratio, and its two-sided p
    z: float
    p: float
    # Corrected for the number of pairs by the studentised range, as Tukey's test does
    p_corrected: float


@dataclass(frozen=True, kw_only=True)
class LogOddsSpread:
    """How much evaluators, or images, vary: a standard deviation in log-odds, 95 % interval."""

    sd: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, kw_only=True)
class MixedModel:
    """The outcome of `mixed_model`."""

    conditions: tuple[MixedCondition, ...]  # sorted by name; empty where there is a problem
    pairwise: tuple[MixedPair, ...]  # every pair once, in the order of the conditions
    # evaluator_sd, image_sd: None where there is a problem
    evaluator_sd: LogOddsSpread | None
    image_sd: LogOddsSpread | None
    # judgements, evaluators, images: how many the model was fitted to
    judgements: int
    evaluators: int
    images: int
    left_out: int  # judgements whose image is not named
    method: str
    converged: bool  # whether the fit came to rest; where it did not, no figures are given
    problem: str  # a sentence on why there are no figures; empty where there are


def mixed_model(judgements: pd.DataFrame) -> MixedModel:
    """Fit the model to judgements made without a time limit.

    A real image is the same image in all conditions; a fake belongs to its condition. An evaluator
    of several conditions is the same evaluator in all.

    Where the data allow no fit, or it does not come to rest, `problem` says so and there are no
    figures: no image column, a staircase (which sets the error rate itself), no image judged
    twice, a single evaluator in every condition, no errors or nothing but errors.
    """
    codes = crossed_samples(named_images(judgements))
    problem = why_no_fit(judgements, codes)
    if problem:
        return _without_figures(judgements, codes, problem)
    from threadpoolctl import threadpool_limits

    from hype.statistics.crossed_logistic import fit_crossed

    with threadpool_limits(1):  # the matrices are small: threads would only wait for each other
        fit = fit_crossed(codes.condition, codes.evaluator, codes.image, codes.wrong)
    if not fit.converged:
        return _without_figures(judgements, codes, "The fit of the mixed model did not converge.")
    return _model(judgements, codes, fit)


def _without_figures(judgements: pd.DataFrame, codes: CrossedSamples, problem: str) -> MixedModel:
    return MixedModel(
        conditions=(),
        pairwise=(),
        evaluator_sd=None,
        image_sd=None,
        judgements=len(codes.wrong),
        evaluators=codes.evaluators,
        images=codes.images,
        left_out=len(judgements) - len(codes.wrong),
        method=METHOD,
        converged=False,
        problem=problem,
    )


def _model(judgements: pd.DataFrame, codes: CrossedSamples, fit: CrossedFit) -> MixedModel:
    evaluator_sd, image_sd = _spreads(fit)
    return replace(
        _without_figures(judgements, codes, ""),
        conditions=tuple(_conditions(codes, fit)),
        pairwise=tuple(_pairs(codes.names, fit)),
        evaluator_sd=evaluator_sd,
        image_sd=image_sd,
        converged=True,
    )


def _spreads(fit: CrossedFit) -> Iterator[LogOddsSpread]:
    for log_sd, variance in zip(fit.log_sds, np.diag(fit.log_sds_covariance), strict=True):
        low, middle, high = np.exp(log_sd + _Z * np.sqrt(variance) * np.array([-1, 0, 1]))
        yield LogOddsSpread(sd=float(middle), ci_low=float(low), ci_high=float(high))


def _conditions(codes: CrossedSamples, fit: CrossedFit) -> Iterator[MixedCondition]:
    from scipy.special import expit

    from hype.statistics.crossed_logistic import average

    sds = np.sqrt(np.diag(fit.covariance))
    variance = np.exp(2 * fit.log_sds).sum()
    marginal = 100 * average(fit.coefficients, np.full(len(sds), variance))
    for place, name in enumerate(codes.names):
        rows = codes.condition == place
        log_odds, sd = float(fit.coefficients[place]), float(sds[place])
        low, middle, high = 100 * expit(log_odds + _Z * sd * np.array([-1, 0, 1]))
        yield MixedCondition(
            condition=name,
            judgements=int(rows.sum()),
            evaluators=len(np.unique(codes.evaluator[rows])),
            images=len(np.unique(codes.image[rows])),
            observed_error=float(100 * codes.wrong[rows].mean()),
            log_odds=log_odds,
            sd=sd,
            typical_error=float(middle),
            ci_low=float(low),
            ci_high=float(high),
            marginal_error=float(marginal[place]),
        )


def _pairs(names: tuple[str, ...], fit: CrossedFit) -> Iterator[MixedPair]:
    from scipy import stats

    covariance = fit.covariance
    for a, b in combinations(range(len(names)), 2):
        difference = float(fit.coefficients[a] - fit.coefficients[b])
        sd = float(np.sqrt(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]))
        z = difference / sd
        p = float(2 * stats.norm.sf(abs(z)))
        corrected = stats.studentized_range.sf(np.sqrt(2) * abs(z), len(names), np.inf)
        yield MixedPair(
            a=names[a],
            b=names[b],
            difference=difference,
            sd=sd,
            z=z,
            p=p,
            p_corrected=float(np.clip(corrected, 0, 1)) if len(names) > 2 else p,
        )
