"""Scores and their uncertainty: tidy frames of judgements in, frozen results out."""

from hype.analysis.columns import COLUMNS, SCORED_TASKS, Column
from hype.analysis.completeness import finished
from hype.analysis.error_rates import ErrorCounts, error_counts
from hype.analysis.judgements import check_judgements, read_judgements
from hype.analysis.modal_exposure import BlockMode, Staircases, block_mode, block_modes
from hype.analysis.resampling import Bootstrap, bootstrap, condition_rng, resampled_scores
from hype.analysis.scores import ConditionScore, EvaluatorScore, Score
from hype.analysis.scoring import score
from hype.analysis.separability import Anova, Pair, Separability, compare_conditions

__all__ = [
    "COLUMNS",
    "SCORED_TASKS",
    "Anova",
    "BlockMode",
    "Bootstrap",
    "Column",
    "ConditionScore",
    "ErrorCounts",
    "EvaluatorScore",
    "Pair",
    "Score",
    "Separability",
    "Staircases",
    "block_mode",
    "block_modes",
    "bootstrap",
    "check_judgements",
    "compare_conditions",
    "condition_rng",
    "error_counts",
    "finished",
    "read_judgements",
    "resampled_scores",
    "score",
]
