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
from hype.analysis.spoiled import SpoiledTrials, Treatment, measured_timing
from hype.protocol.timing_table import TimingRow, TimingTable

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
    "SpoiledTrials",
    "Staircases",
    "TimingRow",
    "TimingTable",
    "Treatment",
    "block_mode",
    "block_modes",
    "bootstrap",
    "check_judgements",
    "compare_conditions",
    "condition_rng",
    "error_counts",
    "finished",
    "measured_timing",
    "read_judgements",
    "resampled_scores",
    "score",
]
