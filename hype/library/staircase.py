"""The staircases of HYPE_time, and QUEST+, for loops of others: PsychoPy, jsPsych or any."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from hype.errors import InputError
from hype.library.result import from_python

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from hype.protocols.hype.staircase import QuestPlus, QuestPlusState, StaircaseState
    from hype.protocols.hype.staircase import Staircase as Rule

TRIALS: Final = 150
"""Of a block: Zhou et al. 2019, section 2.1."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Staircase:
    """A block of HYPE_time: which exposure comes next, given the answers so far.

    It is frozen: `after` gives the staircase after one more answer.

    After `correct_to_descend` correct answers in a row the exposure falls by `down_ms`, after every
    wrong one it rises by `up_ms`, and it stays within `min_ms` and `max_ms`.

    Parameters
    ----------
    rule
        "hype", the paper's as printed, which settles at 63 % correct; or "weighted-75" (10 ms down,
        30 ms up after every answer), which settles at 75 %; or "quest+", without steps, which
        chooses the whole frames that tell most about the threshold, and needs some 60 trials.
        Numbers that are given replace parts of it.
    trials
        How many make a block, 1 or more. Fewer than 150 may not settle.
    start_ms, min_ms, max_ms
        The first exposure, and the ends, in ms.
    down_ms, up_ms
        The steps, in ms, above 0.
    correct_to_descend
        1 or more.
    refresh_hz
        Of the display, above 0: only "quest+" asks.
    answers
        Whether each answer so far was correct, to go on with a block that was interrupted.

    Raises
    ------
    InputError
        A number is out of range or not of this rule, or there are more answers than trials.

    References
    ----------
    Zhou et al. (2019), "HYPE", NeurIPS, section 2.1; QUEST+: Watson (2017); where rules
    settle: Kaernbach (1991), Levitt (1971), García-Pérez (1998).

    Examples
    --------
    >>> import hype
    >>> block = hype.Staircase(trials=4)
    >>> while not block.finished:
    ...     seen = block.exposure_ms >= 480  # show the image so long, ask, compare with the truth
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
        """Refuse what is out of range."""
        from hype.protocols.hype.staircase import PRESETS

        if self.rule not in (rules := (*PRESETS, "quest+")):
            raise InputError("rule", repr(self.rule), f"one of {', '.join(rules)}")
        if not 0 < self.min_ms <= self.start_ms <= self.max_ms:
            problem = f"{self.start_ms:g} is not from {self.min_ms:g} to {self.max_ms:g}"
            raise InputError("start_ms", problem, "min_ms, above 0, to max_ms")
        for name in ("trials", "correct_to_descend", "down_ms", "up_ms"):
            value, least = getattr(self, name), 0 if name.endswith("_ms") else 1
            if value is not None and (value < least or value == 0):
                raise InputError(name, f"{value:g}", "above 0" if not least else "1 or more")
        if self._is_quest_plus:
            self._check_quest_plus()
        if len(self.answers) > self.trials:
            raise InputError("answers", f"{len(self.answers)}", f"at most {self.trials}")

    @property
    def _is_quest_plus(self) -> bool:
        return self.rule == "quest+"

    def _check_quest_plus(self) -> None:
        for name in ("down_ms", "up_ms", "correct_to_descend"):
            if getattr(self, name) is not None:
                raise InputError(name, "is of staircases", '"quest+" has no steps')
        rule: Any = self._rule
        if not self.refresh_hz > 0 or len(rule.levels()) < 2:
            problem = f"{self.refresh_hz:g}: no two whole frames last min_ms to max_ms"
            raise InputError("refresh_hz", problem, "frames per second of the display")

    @cached_property
    def _rule(self) -> Rule | QuestPlus:
        from hype.protocols.hype.staircase import PRESETS, QuestPlus

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
        """How long the next image is to be shown, in ms.

        Raises InputError: the block is finished.
        """
        if self.finished:
            raise InputError("Staircase", f"all {self.trials} trials are answered", "a new block")
        return self._states[-1].exposure_ms

    def after(self, *, correct: bool) -> Staircase:
        """Give the staircase after the next answer.

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
        """Requested exposures of the trials that were answered, in ms."""
        return tuple(state.exposure_ms for state in self._states[: len(self.answers)])

    @property
    def mode_ms(self) -> float | None:
        """A staircase's score: its most frequent exposure, the mean where several are, in ms.

        None before the first answer, and of "quest+". An evaluator's score is the mean over blocks.
        """
        from hype.protocols.hype.block_scores import block_mode

        if self._is_quest_plus or not self.answers:
            return None
        return block_mode(self.exposures_ms)

    @property
    def threshold_ms(self) -> float | None:
        """The score of "quest+": the threshold estimated so far, in ms.

        None before an answer, and where it lies below `min_ms` or above `max_ms`.
        """
        from hype.protocols.hype.staircase import estimate

        if not (self._is_quest_plus and self.answers):
            return None
        bounds_ms = (self.min_ms, self.max_ms)
        found_ms = estimate(self.exposures_ms, self.answers, bounds_ms).threshold_ms
        return found_ms if self.min_ms <= found_ms <= self.max_ms else None

    @property
    def settles_at(self) -> float:
        """The share of correct answers, 0 to 1, that the rule comes to rest at."""
        return self._rule.settles_at

    def to_frame(self) -> pd.DataFrame:
        """Give the trials: trial (from 1), exposure_ms, correct; the columns of `hype.score`."""
        import pandas as pd

        return pd.DataFrame(
            {
                "trial": range(1, len(self.answers) + 1),
                "exposure_ms": list(self.exposures_ms),
                "correct": list(self.answers),
            }
        )

    @from_python
    def plot(self) -> Figure:
        """Draw the exposure over the trials, as a matplotlib figure.

        Raises InputError: nothing was answered yet. ExtraMissing: matplotlib is not installed.
        """
        import numpy as np

        from hype.protocols.hype.figures_of_staircases import staircase_drawing
        from hype.report.figures.files import drawn

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
            raise InputError("Staircase", "has no answer to draw")
        return drawn(drawing)

    def __repr__(self) -> str:
        progress = f"{len(self.answers)} of {self.trials} trials"
        mode = f", mode {self.mode_ms:g} ms" if self.mode_ms else ""
        if self.threshold_ms:
            mode = f", threshold {self.threshold_ms:.0f} ms"
        now = "finished" if self.finished else f"next {self.exposure_ms:g} ms"
        return f"<Staircase {self.rule!r}: {progress}, {now}{mode}>"
