"""Scores and their uncertainty: tidy frames of judgements in, frozen results out."""

from hype.analysis.agreement import Agreement
from hype.analysis.completeness import counted, finished
from hype.analysis.convincing import Convincing
from hype.analysis.error_rates import ErrorCounts, error_counts
from hype.analysis.facets import Facet, Facets, score_by, with_manifest
from hype.analysis.image_differences import ImageDifferences, image_differences
from hype.analysis.image_scores import ImageScore, image_scores, least_convincing, most_convincing
from hype.analysis.metrics import MetricCorrelation, correlate, read_metrics
from hype.analysis.mixed.mixed_model import MixedModel, mixed_model
from hype.analysis.modal_exposure import BlockMode, Staircases, block_mode, block_modes
from hype.analysis.options import Options
from hype.analysis.precision import Precision, evaluators_needed, precision
from hype.analysis.psychometrics.condition_thresholds import (
    ConditionThresholds,
    EvaluatorThreshold,
    fit_thresholds,
)
from hype.analysis.psychometrics.psychometric_function import PsychometricFunction
from hype.analysis.psychometrics.quick_curve import (
    Curve,
    CurvePoint,
    curve_of,
    psychometric_curves,
)
from hype.analysis.psychometrics.thresholds import Threshold, fit_threshold
from hype.analysis.resampling import Bootstrap, bootstrap, condition_rng
from hype.analysis.response_times import (
    ConditionTimes,
    EvaluatorMedians,
    ResponseTimes,
    Times,
    response_times,
)
from hype.analysis.reversals import ConditionReversals, reversals_by_condition
from hype.analysis.scores import ConditionScore, EvaluatorScore, Score
from hype.analysis.scoring import score, score_checked
from hype.analysis.separability.anova import Anova, WelchAnova
from hype.analysis.separability.comparison import Separability, compare_conditions
from hype.analysis.separability.letters import compact_letters
from hype.analysis.separability.pairs import Pair
from hype.analysis.separability.variances import Levene
from hype.analysis.signal_detection import (
    EvaluatorDetection,
    SignalDetection,
    evaluator_detections,
    signal_detection,
)
from hype.analysis.spoiled import SpoiledTrials, Treatment, measured_timing
from hype.analysis.tables.columns import COLUMNS, SCORED_TASKS, Column
from hype.analysis.tables.judgements import check_judgements, read_judgements
from hype.analysis.trend import Trend, trend
from hype.analysis.two_way import TwoWay, two_way
from hype.protocol.timing_table import TimingRow, TimingTable

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
