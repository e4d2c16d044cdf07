"""The psychometric function of one set of answers, and its threshold."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hype.library.result import Result, from_python
from hype.report import tabular, wording
from hype.report.figures.drawing import (
    BLUE,
    FAINT,
    INK,
    VERMILLION,
    Axes,
    Drawing,
    Panel,
    level_grid,
    log_exposures,
)
from hype.report.tabular import tabulated
from hype.statistics.psychometric_fit import LevelCounts, count_levels, weibull
from hype.statistics.thresholds import AT, CONFIDENCE, Bounds, Threshold
from hype.statistics.thresholds import fit_threshold as fitted_threshold

_COLUMNS: Final = (
    tabular.name("Correct", "at", of=lambda threshold: f"{threshold.at:.0%}"),
    tabular.number("Threshold", "threshold", unit="ms", of="threshold_ms"),
    tabular.interval(
        "Interval", "", unit="ms", of=lambda threshold: (threshold.ci_low, threshold.ci_high)
    ),
    tabular.number("Scale", "scale", unit="ms", of="scale_ms"),
    tabular.number("Slope", "slope", 2),
    tabular.number("Lapse", "lapse", 3),
    tabular.number("Overdispersion", "overdispersion", 3),
    tabular.probability("Goodness p", "goodness_p"),
    tabular.probability("Binomial p", "binomial_p"),
    tabular.whole("Trials", "trials"),
    tabular.whole("Levels", "levels"),
    tabular.words("Reason", "reason"),
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FittedThreshold(Result):
    """A psychometric function and its threshold; `fit_threshold` gives it.

    Attributes
    ----------
    fit : Threshold
        All numbers of the fit.
    """

    fit: Threshold

    @property
    def threshold_ms(self) -> float | None:
        """The threshold in ms; None where there is none."""
        return self.fit.threshold_ms

    @property
    def low_ms(self) -> float | None:
        """The lower end of its credible interval; None where that lies beyond the bounds."""
        return self.fit.ci_low

    @property
    def high_ms(self) -> float | None:
        """The upper end of it; None where that lies beyond the bounds."""
        return self.fit.ci_high

    @property
    def reason(self) -> str | None:
        """Why there is no threshold; None where there is one."""
        return self.fit.reason


@from_python
def fit_threshold(
    exposures_ms: npt.ArrayLike,
    correct: npt.ArrayLike,
    *,
    seed: int | np.random.Generator = 0,
    at: float = AT,
    confidence: float = CONFIDENCE,
    bounds_ms: Bounds | None = None,
) -> FittedThreshold:
    """Fit a psychometric function to one set of answers, and read off its threshold.

    A Weibull function from chance, 0.5, with lapses and overdispersion, as psignifit has it.

    Parameters
    ----------
    exposures_ms : array_like, shape (trials,)
        Exposure of each trial in ms, above 0.
    correct : array_like, shape (trials,)
        Whether its answer was correct: True or 1, False or 0.
    seed
        Of the two p values, or a generator; nothing else is drawn.
    at
        Share of correct answers at the threshold, above 0.5 and below 1.
    confidence
        Of the credible interval, above 0 and below 1.
    bounds_ms
        Shortest and longest exposure of the study, which is where the threshold is expected; by
        default those among the exposures, which is too narrow for one staircase.

    Returns
    -------
    FittedThreshold
        With ``threshold_ms``, ``low_ms`` and ``high_ms``, and ``reason`` where there is none (fewer
        than 50 answers, say). ``fit`` has ``scale_ms``, ``slope``, ``lapse``,
        ``overdispersion``, ``goodness_p``, ``trials`` and ``levels`` as well.

    Raises
    ------
    InputError
        An argument is out of range, or the arrays differ in length, are empty, or hold an exposure
        that is not above 0.

    References
    ----------
    Schütt et al. (2016), "Painfree and accurate Bayesian estimation of psychometric functions for
    (potentially) overdispersed data", Vision Research 122.

    Examples
    --------
    >>> import hype
    >>> shown_ms, correct = [100, 200, 400] * 40, [0, 1, 1, 1, 1, 1] * 20
    >>> found = hype.fit_threshold(shown_ms, correct, bounds_ms=(50, 800))
    >>> round(found.threshold_ms) in range(150, 165), found.reason
    (True, None)
    """
    fitted = fitted_threshold(
        exposures_ms,
        correct,
        rng=np.random.default_rng(seed),
        at=at,
        confidence=confidence,
        bounds_ms=bounds_ms,
    )
    shown_ms, right = np.asarray(exposures_ms, dtype=float), np.asarray(correct, dtype=bool)
    counts = count_levels(shown_ms, right)
    return FittedThreshold(
        fit=fitted,
        heading=f"Threshold at {at:.0%} correct, from {fitted.trials:,} answers",
        notes=(f"No threshold: {fitted.reason}.",) if fitted.reason else (),
        make_object=lambda: asdict(fitted),
        make_tables=lambda: (
            tabulated([fitted], name="threshold", title="Threshold", columns=_COLUMNS),
        ),
        make_drawings=lambda: (drawing_of(fitted, counts),),
    )


def drawing_of(threshold: Threshold, counts: LevelCounts) -> Drawing:
    where = (
        "none" if threshold.threshold_ms is None else f"{wording.number(threshold.threshold_ms)} ms"
    )
    return Drawing(
        name="threshold",
        title="Psychometric function",
        caption="Dots: shares of correct answers, larger where there are more of them.",
        alt=f"Share of correct answers over exposure; threshold at {threshold.at:.0%}: {where}.",
        panels=(Panel(draw=partial(_draw, threshold=threshold, counts=counts)),),
        width_in=4.2,
        height_in=2.8,
        x_label="exposure in ms",
        y_label="judged correctly, in %",
    )


def _draw(axes: Axes, threshold: Threshold, counts: LevelCounts) -> None:
    log_exposures(axes, counts.shortest_ms, counts.longest_ms)
    level_grid(axes)
    axes.axhline(50, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    size = 120 * np.sqrt(counts.trials / counts.trials.max())
    shares = 100 * counts.correct / counts.trials
    axes.scatter(counts.levels_ms, shares, s=size, color=BLUE, alpha=0.5, linewidth=0, zorder=3)
    axes.set_ylim(min(38.0, float(shares.min()) - 4), 104)
    if threshold.scale_ms is not None:
        along_ms = np.geomspace(counts.shortest_ms, counts.longest_ms, 100)
        function = weibull(along_ms, threshold.scale_ms, threshold.slope, threshold.lapse)
        axes.plot(along_ms, 100 * function, color=INK, linewidth=1.8, zorder=4)
    if threshold.threshold_ms is not None:
        style: dict[str, Any] = {"color": VERMILLION, "zorder": 5}
        ends_ms = [threshold.ci_low or counts.shortest_ms, threshold.ci_high or counts.longest_ms]
        axes.plot(ends_ms, [100 * threshold.at] * 2, linewidth=2.5, **style)
        axes.plot(
            [threshold.threshold_ms], [100 * threshold.at], "v", markersize=8, mec="white", **style
        )
