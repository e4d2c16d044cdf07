"""What results of comparisons, ratings and rankings share: JSON, pairs, images at either end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from hype.judges.results import JudgesScore
from hype.report.tabular import Rows, Table, printed_scores
from hype.statistics.crossed import Images
from hype.statistics.estimate import (
    FEWEST_SHOWN,
    Estimate,
    JsonValue,
)
from hype.statistics.paired_counts import PairRate, Randomness
from hype.statistics.pairs import Verdict
from hype.statistics.strength_table import Fit
from hype.statistics.strengths import StrengthsShown, Ties
from hype.tables.reasons import LeftOut

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class ProtocolScore:
    """All that is known about a study of one protocol.

    ``missing_answers``: rows of a table that have no answer: evaluator and row; none of what was
    checked elsewhere.
    """

    protocol: ClassVar[str]

    notes: tuple[str, ...] = ()
    missing_answers: Rows = ()


SHARED_FACTS: Final = (
    *("simulated", "evaluators", "prompts", "ties", "strengths", "images", "random"),
    *("alpha", "confidence", "margin", "missing_answers"),
)


def score_object(
    score: Any, facts: Mapping[str, object], tables: Iterable[Table]
) -> dict[str, JsonValue]:
    """Make what ``hype score --json`` prints; ``facts``: those of one protocol alone."""
    shared = {name: getattr(score, name) for name in SHARED_FACTS}
    notes = (*score.notes, *(score.judges.notes if score.judges else ()))
    return printed_scores(score.protocol, shared | dict(facts), notes, tables)


def fit_facts(fit: Fit) -> dict[str, object]:
    """Return how strengths were fitted; ``problems``: why some or all conditions have none."""
    return {
        "iterations": fit.iterations,
        "log_likelihood": fit.log_likelihood,
        "tie_parameter": fit.tie_parameter,
        "rule": fit.rule,
        "problems": " ".join(fit.problems),
    }


@dataclass(frozen=True, kw_only=True)
class RankedPair(PairRate):
    """Two conditions that were compared, or ranked, with each other; `a` is ranked higher."""

    # Log-strength of `a` less that of `b`, which uses all comparisons, those with third conditions
    # too; None if either has no strength
    difference: Estimate | None = None
    # p, p_adjusted: of the difference, two-sided, and for all pairs together; None if nothing is
    # known of how answers vary
    p: float | None
    p_adjusted: float | None
    # By Holm's rule, of two one-sided tests against the margin; None without one
    p_equivalent: float | None = None
    separable: bool | None  # whether p_adjusted is below alpha; None without it
    # Of two that are not separable nothing is known, unless they are equivalent
    verdict: Verdict | None


@dataclass(frozen=True, kw_only=True)
class PromptedScore(ProtocolScore):
    """What is known of comparisons, ratings and rankings."""

    simulated: bool
    # evaluators, prompts: how many gave and had scored answers; None if the table does not tell
    evaluators: int | None
    prompts: int | None
    ties: Ties  # what becomes of them; of ratings, of answers in the middle
    strengths: StrengthsShown  # on which scale tables and figures show them
    # Whether images and prompts are a sample of what the conditions make, all that is spoken of, or
    # not known, so that nothing is said of others
    images: Images | Literal["unknown"]
    random: Randomness | None  # None of a single group, ranked by one evaluator
    exclusions: tuple[LeftOut, ...]
    # alpha, confidence: the level of the tests, and the coverage that intervals aim at, as
    # proportions
    alpha: float
    confidence: float
    # Of win rates about one half, or of differences of means in parts of their scale, that are as
    # good as none; None if nobody said
    margin: float | None
    # Automated judges or preference models next to people; None if none was given
    judges: JudgesScore[Any] | None = None


@dataclass(frozen=True, kw_only=True)
class StrengthScore(PromptedScore):
    """What is known of comparisons as of rankings."""

    # The strongest first; those without a strength last, by their win rate
    conditions: tuple[Any, ...]
    # Every pair that was compared, in the order of the ranking
    pairs: tuple[Any, ...]

    def row(self, condition: str) -> Any:
        """Give the row of a condition.

        Raises KeyError: there is no such condition.
        """
        return {row.condition: row for row in self.conditions}[condition]


FEW: Final = 10
"""Evaluators below this number hardly show how evaluators vary."""

MOST_PROMPTS: Final = 12
EACH: Final = 3
"""How many prompts, and images at either end, are shown at most."""


def ends_of_prompts(
    counted: pd.DataFrame,
    *,
    times: str,
    first: Mapping[str, bool],
    last: Mapping[str, bool],
) -> Rows:
    """Choose images of the prompts that were shown most; by name where equally often.

    Of images shown `FEWEST_SHOWN` times or more: of others too little is known to name one. Where
    no prompt has two of these, a single entry has no images.

    Gives of each prompt its images at either end, `first` and `last`, as rows of ``counted``, the
    extreme one first, none of them in both; and how many images were shown too `seldom`.

    ``counted`` has a row for each image. ``times``: the column that says how often one was shown.
    ``first``, ``last``: by which columns the images at an end are chosen, and whether ascending.
    """
    shown = counted.groupby("prompt").size()
    counted = counted[counted[times] >= FEWEST_SHOWN]
    by_prompt = counted.groupby("prompt", sort=True)
    sizes = by_prompt[times].agg(["size", "sum"])
    several = sizes[sizes["size"] > 1].sort_values("sum", ascending=False, kind="stable")
    chosen = []
    for prompt in several.index[:MOST_PROMPTS]:
        own = by_prompt.get_group(prompt)
        number = min(EACH, len(own) // 2)
        best = own.sort_values([*first], ascending=[*first.values()]).head(number)
        others = own.drop(best.index)
        worst = others.sort_values([*last], ascending=[*last.values()]).head(number)
        chosen.append(
            {
                "prompt": str(prompt),
                "first": tuple(best.to_dict("records")),
                "last": tuple(worst.to_dict("records")),
                "seldom": int(shown[prompt]) - len(own),
            }
        )
    if not chosen and len(shown):
        seldom = int(shown.sum()) - len(counted)
        return ({"prompt": "", "first": (), "last": (), "seldom": seldom},)
    return tuple(chosen)
