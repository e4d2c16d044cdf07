"""Scores and their uncertainty: tidy frames of judgements in, frozen results out."""

from hype.protocols.hype.agreement import Agreement
from hype.protocols.hype.answers import measured_timing
from hype.protocols.hype.error_rates import (
    ErrorCounts,
    EvaluatorDetection,
    SignalDetection,
    error_counts,
    evaluator_detections,
    signal_detection,
)
from hype.protocols.hype.exclusion import SpoiledTrials, Treatment, counted, finished
from hype.protocols.hype.facets import Facet, Facets, score_by, with_manifest
from hype.protocols.hype.images import (
    Convincing,
    ImageDifferences,
    ImageScore,
    image_differences,
    image_scores,
    least_convincing,
    most_convincing,
)
from hype.protocols.hype.metrics import MetricCorrelation, correlate, read_metrics
from hype.protocols.hype.mixed_model import MixedModel, mixed_model
from hype.protocols.hype.modal_exposure import BlockMode, Staircases, block_mode, block_modes
from hype.protocols.hype.options import Options
from hype.protocols.hype.precision import Precision, evaluators_needed, precision
from hype.protocols.hype.response_times import (
    ConditionTimes,
    EvaluatorMedians,
    ResponseTimes,
    Times,
    response_times,
)
from hype.protocols.hype.results import ConditionScore, EvaluatorScore, Score
from hype.protocols.hype.reversals import ConditionReversals, reversals_by_condition
from hype.protocols.hype.rows import COLUMNS
from hype.protocols.hype.scoring import score, score_checked
from hype.protocols.hype.separability import Separability, Trend, compare_conditions, trend
from hype.protocols.hype.table import check_judgements, read_judgements
from hype.protocols.hype.thresholds import (
    ConditionThresholds,
    Curve,
    CurvePoint,
    EvaluatorThreshold,
    curve_of,
    fit_thresholds,
    psychometric_curves,
)
from hype.protocols.hype.trial import SCORED_TASKS
from hype.protocols.hype.two_way import TwoWay, two_way
from hype.session.timing_table import TimingRow, TimingTable
from hype.statistics.anova import Anova, Levene, WelchAnova
from hype.statistics.pairs import Pair, compact_letters
from hype.statistics.psychometric_fit import PsychometricFunction
from hype.statistics.resampling import Bootstrap, bootstrap, condition_rng
from hype.statistics.thresholds import Threshold, fit_threshold
from hype.tables.columns import Column

__all__ = [
    "COLUMNS",
    "SCORED_TASKS",
    "Agreement",
    "Anova",
    "BlockMode",
    "Bootstrap",
    "Column",
    "ConditionReversals",
    "ConditionScore",
    "ConditionThresholds",
    "ConditionTimes",
    "Convincing",
    "Curve",
    "CurvePoint",
    "ErrorCounts",
    "EvaluatorDetection",
    "EvaluatorMedians",
    "EvaluatorScore",
    "EvaluatorThreshold",
    "Facet",
    "Facets",
    "ImageDifferences",
    "ImageScore",
    "Levene",
    "MetricCorrelation",
    "MixedModel",
    "Options",
    "Pair",
    "Precision",
    "PsychometricFunction",
    "ResponseTimes",
    "Score",
    "Separability",
    "SignalDetection",
    "SpoiledTrials",
    "Staircases",
    "Threshold",
    "Times",
    "TimingRow",
    "TimingTable",
    "Treatment",
    "Trend",
    "TwoWay",
    "WelchAnova",
    "block_mode",
    "block_modes",
    "bootstrap",
    "check_judgements",
    "compact_letters",
    "compare_conditions",
    "condition_rng",
    "correlate",
    "counted",
    "curve_of",
    "error_counts",
    "evaluator_detections",
    "evaluators_needed",
    "finished",
    "fit_threshold",
    "fit_thresholds",
    "image_differences",
    "image_scores",
    "least_convincing",
    "measured_timing",
    "mixed_model",
    "most_convincing",
    "precision",
    "psychometric_curves",
    "read_judgements",
    "read_metrics",
    "response_times",
    "reversals_by_condition",
    "score",
    "score_by",
    "score_checked",
    "signal_detection",
    "trend",
    "two_way",
    "with_manifest",
]
