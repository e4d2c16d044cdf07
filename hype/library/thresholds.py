"""Thresholds: staircases for other programs, and psychometric functions fitted to answers.

The staircases are those of HYPE_time and QUEST+, for PsychoPy, jsPsych or any other program.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hype.errors import InputError
from hype.library.result import Result, library_function, whole
from hype.protocols.hype.staircase import (
    PRESETS,
    QuestPlus,
    QuestPlusState,
    StaircaseState,
    estimate,
)
from hype.protocols.hype.staircase import Staircase as Rule
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
from hype.report.tabular import tabulate
from hype.statistics.psychometric_fit import LevelCounts, count_levels, weibull
from hype.statistics.thresholds import AT, CONFIDENCE, Bounds, Threshold
from hype.statistics.thresholds import fit_threshold as fitted_threshold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

TRIALS: Final = 150
"""Number of trials in a block (Zhou et al. 2019, section 2.1)."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Staircase:
    """A block of HYPE_time: computes the next exposure from the answers so far.

    The object does not change: `after` returns the staircase after one more answer. The exposure
    falls by `down_ms` after `correct_to_descend` correct answers in a row, rises by `up_ms` after
    every wrong answer, and stays between `min_ms` and `max_ms`.

    Parameters
    ----------
    rule
        "hype" is the rule printed in the paper; it settles at 63 % correct. "weighted-75" (10 ms
        down if correct, 30 ms up if wrong) settles at 75 %. "quest+" has no steps: it chooses the
        most informative number of frames, and needs about 60 trials. ``down_ms``, ``up_ms`` and
        ``correct_to_descend`` replace the rule's own numbers.
    trials
        Number of trials in a block, 1 or more. Below 150 trials, a staircase may not settle.
    start_ms, min_ms, max_ms
        The first, the shortest and the longest exposure, in ms.
    down_ms, up_ms
        The steps, in ms, above 0.
    correct_to_descend
        1 or more.
    refresh_hz
        Refresh rate of the display, above 0; only "quest+" needs it.
    answers
        Whether each answer so far was correct, to continue an interrupted block.

    Raises
    ------
    InputError
        A number is out of range or does not belong to this rule, or there are more answers than
        trials.

    References
    ----------
    Zhou et al. (2019), "HYPE", NeurIPS, section 2.1; QUEST+: Watson (2017); where rules settle:
    Levitt (1971), Kaernbach (1991), García-Pérez (1998).

    Examples
    --------
    >>> import hype
    >>> block = hype.Staircase(trials=4)
    >>> while not block.finished:
    ...     seen = block.exposure_ms >= 480  # show, ask, compare with the truth
    ...     block = block.after(correct=seen)
    >>> block.exposures_ms, block.mode_ms
    ((500.0, 500.0, 500.0, 470.0), 500.0)
    """

    rule: str = "hype"
    trials: int = TRIALS
    start_ms: float = 500.0
    min_ms: float = 100.0
    max_ms: float = 1000.0
    down_ms: float | None = None
    up_ms: float | None = None
    correct_to_descend: int | None = None
    refresh_hz: float = 60.0
    answers: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        """Refuse numbers that are out of range."""
        if self.rule not in (rules := (*PRESETS, "quest+")):
            raise InputError("rule", repr(self.rule), f"one of {', '.join(rules)}")
        if not 0 < self.min_ms <= self.start_ms <= self.max_ms:
            problem = f"{self.start_ms:g} is not between {self.min_ms:g} and {self.max_ms:g}"
            raise InputError("start_ms", problem, "from min_ms (above 0) to max_ms")
        for name in ("trials", "correct_to_descend", "down_ms", "up_ms"):
            value, least = getattr(self, name), 0 if name.endswith("_ms") else 1
            if value is not None and (value < least or value == 0):
                raise InputError(name, f"{value:g}", "above 0" if not least else "1 or more")
        if self._is_quest_plus:
            for name in ("down_ms", "up_ms", "correct_to_descend"):
                if getattr(self, name) is not None:
                    raise InputError(name, "is for staircases", '"quest+" has no steps')
            rule: Any = self._rule
            if not self.refresh_hz > 0 or len(rule.levels()) < 2:
                problem = (
                    f"{self.refresh_hz:g}: fewer than two durations of whole frames fit between "
                    "min_ms and max_ms"
                )
                raise InputError("refresh_hz", problem, "frames per second of the display")
        if len(self.answers) > self.trials:
            raise InputError("answers", f"{len(self.answers)}", f"at most {self.trials}")

    @property
    def _is_quest_plus(self) -> bool:
        return self.rule == "quest+"

    @cached_property
    def _rule(self) -> Rule | QuestPlus:
        if self._is_quest_plus:
            return QuestPlus(
                start_ms=self.start_ms,
                min_ms=self.min_ms,
                max_ms=self.max_ms,
                refresh_hz=self.refresh_hz,
            )
        own = {
            name: getattr(self, name)
            for name in ("start_ms", "min_ms", "max_ms", "down_ms", "up_ms", "correct_to_descend")
            if getattr(self, name) is not None
        }
        return replace(PRESETS[self.rule], **own)

    @cached_property
    def _states(self) -> tuple[StaircaseState | QuestPlusState, ...]:
        rule: Any = self._rule
        states = [rule.start()]
        for correct in self.answers:
            states.append(rule.step(states[-1], correct))
        return tuple(states)

    @property
    def exposure_ms(self) -> float:
        """How long to show the next image, in ms.

        Raises InputError: the block is finished.
        """
        if self.finished:
            raise InputError("Staircase", f"all {self.trials} trials are answered", "a new block")
        return self._states[-1].exposure_ms

    def after(self, *, correct: bool) -> Staircase:
        """Return the staircase after the next answer.

        Raises InputError: the block is finished.
        """
        _ = self.exposure_ms
        following = replace(self, answers=(*self.answers, bool(correct)))
        rule: Any = self._rule
        state = rule.step(self._states[-1], bool(correct))
        vars(following).update(_rule=self._rule, _states=(*self._states, state))
        return following

    @property
    def finished(self) -> bool:
        return len(self.answers) == self.trials

    @property
    def exposures_ms(self) -> tuple[float, ...]:
        """The requested exposures of the answered trials, in ms."""
        return tuple(state.exposure_ms for state in self._states[: len(self.answers)])

    @property
    def mode_ms(self) -> float | None:
        """A staircase's score: the most common exposure (if several, their mean), in ms.

        None before the first answer, and for "quest+". An evaluator's score is the mean over
        blocks.
        """
        from hype.protocols.hype.block_scores import block_mode

        if self._is_quest_plus or not self.answers:
            return None
        return block_mode(self.exposures_ms)

    @property
    def threshold_ms(self) -> float | None:
        """The score of "quest+": the threshold estimated so far, in ms.

        None before an answer, and if the threshold is below `min_ms` or above `max_ms`.
        """
        if not (self._is_quest_plus and self.answers):
            return None
        bounds_ms = (self.min_ms, self.max_ms)
        found_ms, _ = estimate(self.exposures_ms, self.answers, bounds_ms)
        return found_ms if self.min_ms <= found_ms <= self.max_ms else None

    @property
    def settles_at(self) -> float:
        """The share of correct answers, 0 to 1, at which the rule settles."""
        return self._rule.settles_at

    def to_frame(self) -> pd.DataFrame:
        """Return a frame of the trials, with the columns trial (from 1), exposure_ms, correct."""
        import pandas as pd

        return pd.DataFrame(
            {
                "trial": range(1, len(self.answers) + 1),
                "exposure_ms": list(self.exposures_ms),
                "correct": list(self.answers),
            }
        )

    @library_function
    def plot(self) -> Figure:
        """Draw the exposure over the trials, as a matplotlib figure.

        Raises InputError: there is no answer yet. Raises ExtraMissing: matplotlib is not installed.
        """
        from hype.protocols.hype.figures_of_staircases import staircase_drawing
        from hype.report.figures.files import draw_figure

        trials = np.arange(1.0, len(self.answers) + 1)
        shown_ms = np.array(self.exposures_ms)
        course = {
            "condition": "",
            "quartiles": np.vstack([trials, shown_ms, shown_ms, shown_ms]),
            "traces": [np.column_stack([trials, shown_ms])],
            "blocks": 1,
            "scores": {"1": np.full(3, self.mode_ms or self.threshold_ms, dtype=float)},
        }
        courses = (course,) if self.answers else ()
        drawing = staircase_drawing(courses, (self.min_ms, self.max_ms))
        if drawing is None:
            raise InputError("Staircase", "has no answers to draw")
        return draw_figure(drawing)

    def __repr__(self) -> str:
        progress = f"{len(self.answers)} of {self.trials} trials"
        mode = f", mode {self.mode_ms:g} ms" if self.mode_ms else ""
        if self.threshold_ms:
            mode = f", threshold {self.threshold_ms:.0f} ms"
        now = "finished" if self.finished else f"next {self.exposure_ms:g} ms"
        return f"<Staircase {self.rule!r}: {progress}, {now}{mode}>"


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
    """A psychometric function and its threshold, from `fit_threshold`.

    Attributes
    ----------
    fit : Threshold
        All numbers of the fit.
    """

    fit: Threshold

    @property
    def threshold_ms(self) -> float | None:
        """The threshold in ms, or None."""
        return self.fit.threshold_ms

    @property
    def low_ms(self) -> float | None:
        """The lower end of the credible interval; None if it is outside the bounds."""
        return self.fit.ci_low

    @property
    def high_ms(self) -> float | None:
        """The upper end of the credible interval; None if it is outside the bounds."""
        return self.fit.ci_high

    @property
    def reason(self) -> str | None:
        """Why there is no threshold; None if there is one."""
        return self.fit.reason


@library_function
def fit_threshold(
    exposures_ms: npt.ArrayLike,
    correct: npt.ArrayLike,
    *,
    seed: int = 0,
    at: float = AT,
    confidence: float = CONFIDENCE,
    bounds_ms: Bounds | None = None,
) -> FittedThreshold:
    """Fit a psychometric function to one set of answers, and return its threshold.

    The function is a Weibull function that starts at chance (0.5), with lapses and overdispersion,
    as in psignifit.

    Parameters
    ----------
    exposures_ms : array_like, shape (trials,)
        Exposure of each trial in ms, above 0.
    correct : array_like, shape (trials,)
        Whether the answer was correct: True or 1, False or 0.
    seed
        Seed for the two p values; nothing else is random.
    at
        Share of correct answers at the threshold, above 0.5 and below 1.
    confidence
        Level of the credible interval, above 0 and below 1.
    bounds_ms
        Shortest and longest exposure of the study; the threshold is expected between them. The
        default, the range of ``exposures_ms``, is too narrow for a single staircase.

    Returns
    -------
    FittedThreshold
        With ``threshold_ms``, ``low_ms`` and ``high_ms``, and ``reason`` if there is no threshold
        (for example, fewer than 50 answers). ``fit`` also has ``scale_ms``, ``slope``, ``lapse``,
        ``overdispersion``, ``goodness_p``, ``trials`` and ``levels``.

    Raises
    ------
    InputError
        An argument is out of range, or the arrays differ in length, are empty, or contain an
        exposure that is not above 0.

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
        rng=np.random.default_rng(whole("seed", seed, 0)),
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
            tabulate([fitted], name="threshold", title="Threshold", columns=_COLUMNS),
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
        caption="Dots: shares of correct answers; larger dots stand for more answers.",
        alt=f"Share of correct answers by exposure; threshold at {threshold.at:.0%}: {where}.",
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
