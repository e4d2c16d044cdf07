"""The results of scoring, as frozen values and as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hype.analysis.error_rates import ErrorCounts
    from hype.analysis.modal_exposure import BlockMode, Staircases
    from hype.analysis.separability import Anova, Pair
    from hype.analysis.spoiled import SpoiledTrials

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


@dataclass(frozen=True, kw_only=True)
class EvaluatorScore:
    """One evaluator in one condition.

    Parameters
    ----------
    evaluator
        The evaluator's identifier.
    score
        Percent judged wrongly (infinity), or mean modal exposure over blocks in ms (time).
    counts
        Judgements and errors.
    blocks
        The modal exposure of each block; empty for infinity.
    left_out
        Judgements that are not among the counts, since the screen spoiled their trials.
    """

    evaluator: str
    score: float
    counts: ErrorCounts
    blocks: tuple[BlockMode, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, kw_only=True)
class ConditionScore:
    """One row of the paper's tables.

    Parameters
    ----------
    condition
        What was evaluated.
    evaluators, judgements
        How many.
    score
        For infinity percent, for time ms; higher is more convincing.
    fakes_error, reals_error
        Percent of all judgements of fake and of real images that were wrong; None without any.
    std, ci_low, ci_high
        Standard deviation and percentile interval of the bootstrap, in the unit of the score;
        None for a single evaluator, who cannot show how evaluators vary.
    evaluator_scores
        One for each evaluator, sorted by identifier; not part of the JSON.
    staircases
        For time only.
    spoiled
        Trials that the screen spoiled, whether they are scored or left out; 0 for infinity.
    """

    condition: str
    evaluators: int
    judgements: int
    score: float
    fakes_error: float | None
    reals_error: float | None
    std: float | None
    ci_low: float | None
    ci_high: float | None
    evaluator_scores: tuple[EvaluatorScore, ...]
    staircases: Staircases | None = None
    spoiled: int = 0

    def to_json(self) -> dict[str, JsonValue]:
        """Return the row as plain values, those of the staircases among them."""
        row = asdict(self)
        del row["evaluator_scores"]
        staircases = row.pop("staircases") or {}
        return {**row, **staircases}


@dataclass(frozen=True, kw_only=True)
class Score:
    """All that is known about one protocol, with the settings it was computed under.

    Parameters
    ----------
    protocol
        "time" or "infinity".
    simulated
        Whether the evaluators are simulated ones.
    conditions
        Highest score first, then by name.
    anova
        None where there is only one condition.
    pairwise
        Every pair of conditions once, the higher-scoring first.
    pairwise_method
        "tukey-hsd", "student-t", or None where there is only one condition.
    alpha
        The level below which a pair counts as separable.
    confidence
        Coverage that the bootstrap intervals aim at, as a proportion.
    draws, seed
        Of the bootstrap.
    notes
        Sentences the reader must know in order to read the figures rightly.
    spoiled_trials
        Verdicts on the timing of the trials, and whether bad ones were left out; None where
        nothing was measured.
    """

    protocol: str
    simulated: bool
    conditions: tuple[ConditionScore, ...]
    anova: Anova | None
    pairwise: tuple[Pair, ...]
    pairwise_method: str | None
    alpha: float
    confidence: float
    draws: int
    seed: int
    notes: tuple[str, ...]
    spoiled_trials: SpoiledTrials | None = None

    @property
    def unit(self) -> str:
        """The unit of scores, intervals and differences."""
        return "ms" if self.protocol == "time" else "%"

    def to_json(self) -> dict[str, JsonValue]:
        """Return the object that ``hype score --json`` prints; numbers that are none are null."""
        return _finite_members(
            {
                "protocol": self.protocol,
                "unit": self.unit,
                "simulated": self.simulated,
                "conditions": [condition.to_json() for condition in self.conditions],
                "anova": asdict(self.anova) if self.anova else None,
                "pairwise": [asdict(pair) for pair in self.pairwise],
                "pairwise_method": self.pairwise_method,
                "alpha": self.alpha,
                "bootstrap": {
                    "draws": self.draws,
                    "seed": self.seed,
                    "confidence": self.confidence,
                },
                "spoiled_trials": asdict(self.spoiled_trials) if self.spoiled_trials else None,
                "notes": list(self.notes),
            }
        )


def _finite_members(members: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: _finite(value) for key, value in members.items()}


def _finite(value: JsonValue) -> JsonValue:
    """Replace NaN and infinity, which JSON does not know, by None."""
    if isinstance(value, dict):
        return _finite_members(value)
    if isinstance(value, list):
        return [_finite(member) for member in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
