"""Scores and their uncertainty: tidy frames of judgements in, frozen results out."""

from hype.protocols.hype.error_rates import two_way
from hype.protocols.hype.exclusion import counted, finished
from hype.protocols.hype.images import image_differences, image_scores
from hype.protocols.hype.metrics import read_metrics
from hype.protocols.hype.response_times import response_times
from hype.protocols.hype.results import Score
from hype.protocols.hype.rows import COLUMNS
from hype.protocols.hype.scoring import score
from hype.protocols.hype.separability import compare_conditions, trend
from hype.protocols.hype.table import check_judgements, read_judgements
from hype.protocols.hype.thresholds import (
    psychometric_curves,
)
from hype.statistics.resampling import bootstrap
from hype.statistics.thresholds import fit_threshold

__all__ = [
    "COLUMNS",
    "Score",
    "bootstrap",
    "check_judgements",
    "compare_conditions",
    "counted",
    "finished",
    "fit_threshold",
    "image_differences",
    "image_scores",
    "psychometric_curves",
    "read_judgements",
    "read_metrics",
    "response_times",
    "score",
    "trend",
    "two_way",
]
