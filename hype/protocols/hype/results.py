"""The result of scoring: named tables, each row a mapping from its columns to its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import pandas as pd

from hype.judges.results import DetectorAgreement, JudgesScore
from hype.protocols.hype.separability import Separability
from hype.protocols.hype.table import SpoiledTrials
from hype.statistics.anova import Anova
from hype.statistics.crossed import Images
from hype.statistics.pairs import Pair

End = Literal["floor", "ceiling"]
"""Of the exposures."""
Row = dict[str, Any]
Rows = tuple[Row, ...]


def rows_in(frame: pd.DataFrame) -> Rows:
    """Take the rows of a frame; what is missing is None."""
    records: list[Any] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return tuple(records)


BOUND_SHARE: Final = 0.5
"""A condition bottoms out, or tops out, from this share of its blocks on."""


def sits_at(end: End, row: Row) -> bool:
    """Tell whether many blocks are at an end, so that the condition's threshold may lie beyond."""
    return (row[f"{end}_share"] or 0) >= BOUND_SHARE


def unit_of(protocol: str) -> str:
    return "ms" if protocol == "time" else "%"


@dataclass(frozen=True, kw_only=True)
class Score:
    """All that is known about one protocol, with the settings it was computed under.

    `hype.protocols.hype.tables` declares the columns of its rows. Rows of conditions are in the
    order of ``conditions``, the highest score first, then by name. A condition has no row where
    the value is not known.
    """

    protocol: str  # "time" or "infinity"
    simulated: bool  # whether the evaluators are simulated ones

    # ``interval``: with other people and, unless they are fixed or not named, with other images;
    # None for a single evaluator, who cannot show how evaluators vary. ``hyper_realistic``: whether
    # fakes look more real than the reals do: the error, both kinds counted alike, is shown to be
    # above chance, all conditions together at 2.5 %. ``std``, ``bootstrap``, ``bca``: the paper's,
    # over evaluators alone. ``spoiled``: trials that the screen spoiled, scored or left out.
    conditions: Rows
    # Each evaluator of each condition, with score, errors, judgements and those left out
    evaluators: Rows
    blocks: Rows = ()  # of time: what each block scored
    # Of time: the course of the staircases; or, where QUEST+ chose the exposures, how well it knows
    # the thresholds. ``median``: the exposure at which the evaluators are as often right as the
    # staircase's rule settles at; None if the trials do not tell the rule.
    staircases: Rows = ()
    quest_plus: Rows = ()
    # Of infinity: d′ and criterion; Krippendorff's α among the evaluators
    answers: Rows = ()
    agreement: Rows = ()
    fakes: Rows = ()  # the most and the least convincing; empty if images have no names
    # Of time, where they were asked for
    thresholds: Rows = ()
    evaluators_thresholds: Rows = ()
    precision: Rows = ()  # spread of a score for other numbers of evaluators; none below ten
    two_way: Rows = ()  # spread over evaluators and images by the bootstrap, where asked for

    # Every pair of conditions once, the higher-scoring first: whether the two can be told apart
    # with other people and other images
    pairwise: tuple[Pair, ...]
    pairwise_method: str | None  # "clustered-range", "clustered-t" of two; None of one condition
    # Condition to its letters: two that share one are not known to differ; None if no pair was
    # tested
    letters: Mapping[str, str] | None
    images: Images | None  # whether a sample or fixed; None if judgements do not name them
    # By how much scores of equivalent conditions differ at most, in the unit of the score; None
    # where the study states none
    margin: float | None = None
    tests: Separability  # the paper's own, over evaluators alone
    confidence: float  # coverage that the intervals aim at, as a proportion
    # Of the bootstrap
    draws: int
    seed: int
    notes: tuple[str, ...]  # sentences the reader must know in order to read the figures rightly

    # Verdicts on the timing of the trials, and whether bad ones were left out; None if nothing
    # was measured
    spoiled_trials: SpoiledTrials | None = None
    # Evaluators whom the study's rules call so, and the scores with and without them; None if
    # there are none
    careless: Row | None = None
    trend: Row | None = None  # along an order of the conditions, if one was given
    metrics: Rows = ()  # correlations with automated metrics, if any were given
    # Of infinity, how its scores go with those of time, where enough conditions have both
    against_time: Row | None = None
    # Rows of the table, of whatever task, that have no answer, by evaluator
    missing_answers: Rows = ()
    # How the qualification selected the scored evaluators, by condition, of both protocols
    # together; empty if there was none
    selections: Rows = ()
    judges: JudgesScore[DetectorAgreement] | None = None  # automated judges next to people

    @property
    def unit(self) -> str:
        return unit_of(self.protocol)

    @property
    def names(self) -> tuple[str, ...]:
        """The conditions, the best first."""
        return tuple(row["condition"] for row in self.conditions)

    @property
    def anova(self) -> Anova | None:
        return self.tests.anova

    @property
    def alpha(self) -> float:
        return self.tests.alpha

    @property
    def settles_at(self) -> float | None:
        """The accuracy at which the staircases settle; None if it is not known."""
        return next((row["at"] for row in self.staircases if row["at"]), None)

    @property
    def bounds_ms(self) -> tuple[float, float] | None:
        """Floor and ceiling of the exposures; None of untimed judgements."""
        row = next(iter(self.staircases or self.quest_plus), None)
        return (row["floor_ms"], row["ceiling_ms"]) if row else None


def without_repeats(scores: Sequence[Score]) -> Iterator[Score]:
    """Leave what holds of both methods, and is said of the first, to that."""
    said: tuple[str, ...] = ()
    for place, score in enumerate(scores):
        notes = tuple(note for note in score.notes if note not in said)
        yield replace(score, notes=notes, selections=()) if place else score
        said += notes
